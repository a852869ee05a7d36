import type { Figure } from "./row.ts";
import type { Summary } from "./stats.ts";

const columns = ["row", "what", "Edgeplane", "bare", "ratio", "CPU/op µs (bare)", "target", ""];

/** All figures as one table of text. */
export function table(rows: { name: string; figures: Figure[]; error?: string | undefined }[]): string {
  const lines = rows.flatMap(({ name, figures, error }) => [
    ...figures.map((figure) => [
      name,
      figure.what,
      `${range(figure.value)} ${figure.unit}`,
      figure.baseline === undefined ? "" : range(figure.baseline),
      figure.ratio === undefined ? "" : range(figure.ratio),
      figure.cpuMicros === undefined
        ? ""
        : `${short(figure.cpuMicros.median)}${figure.baselineCpuMicros === undefined ? "" : ` (${short(figure.baselineCpuMicros.median)})`}`,
      figure.target?.text ?? "",
      figure.target === undefined ? "" : figure.target.met ? "met" : "missed",
    ]),
    ...(error === undefined
      ? []
      : [[name, `failed: ${error.split("\n")[0]!.slice(0, 160)}`, "", "", "", "", "", "failed"]]),
  ]);
  const widths = columns.map((column, index) => Math.max(column.length, ...lines.map((line) => line[index]!.length)));
  const format = (cells: string[]) =>
    cells
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join("  ")
      .trimEnd();
  return [format(columns), widths.map((width) => "-".repeat(width)).join("  "), ...lines.map(format)].join("\n");
}

function range({ median, min, max }: Summary): string {
  return min === max ? short(median) : `${short(median)} (${short(min)}–${short(max)})`;
}

function short(value: number): string {
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString("en-US");
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}
