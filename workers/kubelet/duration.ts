/** A duration as Go prints it, to the millisecond: "0s", "35ms", "1.2s", "2m40s", "1h0m0s". */
export function formatDuration(milliseconds: number): string {
  const total = Math.trunc(milliseconds);
  if (total === 0) return "0s";
  if (total < 1000) return `${total}ms`;
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = `${(total % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
