import type { ContainerConfig } from "./interfaces.ts";

/** When and how a simulated container ends by itself; undefined: it runs until it is stopped. */
export interface ContainerBehaviour {
  exitAfterMilliseconds: number;
  exitCode: number;
}

/** Pod annotations that steer the simulation; exits and readiness concern the regular containers. Durations: "5s", "1m", "250ms". */
export const simulationAnnotations = {
  exitAfter: "simulation.edgeplane.dev/exit-after",
  exitCode: "simulation.edgeplane.dev/exit-code",
  pullDelay: "simulation.edgeplane.dev/pull-delay",
  stopDelay: "simulation.edgeplane.dev/stop-delay",
  /** "false": readiness probes fail. May change while the pod runs. */
  ready: "simulation.edgeplane.dev/ready",
} as const;

/** Labels of a container config that tell the simulation what it plays. */
export const simulationLabels = {
  /** "container", "init" or "sidecar" */
  role: "simulation.edgeplane.dev/role",
  /** "true" for pods that a Job owns */
  job: "simulation.edgeplane.dev/job",
} as const;

/** How long an init container or a Job's container whose command says nothing takes. */
const unknownWorkMilliseconds = { init: 50, job: 1000 };

/**
 * Rules, first match wins: the annotations; a command that clearly ends (`sleep 5`, `true`, `exit 1`, `sh -c "echo a;
 * sleep 2"`); a command that clearly does not (`sleep infinity`, a loop); init containers and the containers of Jobs,
 * which end by themselves or nothing after them would ever run; all others run on.
 */
export function behaviourOf(config: ContainerConfig): ContainerBehaviour | undefined {
  const role = config.labels[simulationLabels.role];
  const exitAfter = config.annotations[simulationAnnotations.exitAfter];
  const exitCode = config.annotations[simulationAnnotations.exitCode];
  if (role === "container" && (exitAfter !== undefined || exitCode !== undefined)) {
    return { exitAfterMilliseconds: parseDuration(exitAfter) ?? 0, exitCode: Number(exitCode ?? 0) || 0 };
  }
  const outcome = outcomeOf([...(config.command ?? []), ...(config.args ?? [])]);
  if (outcome === "endless" || role === "sidecar") return outcome === "endless" ? undefined : asBehaviour(outcome);
  if (outcome !== undefined) return outcome;
  if (role === "init") return { exitAfterMilliseconds: unknownWorkMilliseconds.init, exitCode: 0 };
  if (config.labels[simulationLabels.job] === "true") {
    return { exitAfterMilliseconds: unknownWorkMilliseconds.job, exitCode: 0 };
  }
  return undefined;
}

type Outcome = ContainerBehaviour | "endless" | undefined;

function asBehaviour(outcome: Outcome): ContainerBehaviour | undefined {
  return outcome === "endless" ? undefined : outcome;
}

/** Milliseconds of "1m30s", "250ms", "5s" or "5". */
export function parseDuration(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|s|m|h|d)?)+$/.test(text)) return undefined;
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  let total = 0;
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)?/g)) {
    total += Number(number) * units[unit ?? "s"]!;
  }
  return total;
}

const shells = new Set(["sh", "bash", "ash", "dash"]);
const shortCommands = new Set(
  "echo printf true : date hostname env printenv ls pwd id uname whoami mkdir touch cp mv rm ln chmod chown cat head test [ expr set export cd umask perl nslookup".split(
    " ",
  ),
);

function outcomeOf(command: string[]): Outcome {
  const program = command[0]?.split("/").pop();
  if (program === undefined) return undefined;
  if (shells.has(program)) {
    const flag = command.findIndex((word) => /^-[a-z]*c$/.test(word));
    const script = flag < 0 ? undefined : command[flag + 1];
    return script === undefined ? undefined : outcomeOfScript(script);
  }
  return outcomeOfCommand(program, command.slice(1));
}

function outcomeOfCommand(program: string, args: string[]): Outcome {
  if (program === "sleep") {
    if (args[0] === "infinity" || args[0] === "inf") return "endless";
    const duration = args.length === 0 ? undefined : args.map(parseDuration).reduce((a, b) => (a ?? NaN) + (b ?? NaN));
    return duration === undefined || Number.isNaN(duration)
      ? { exitAfterMilliseconds: 0, exitCode: 1 }
      : { exitAfterMilliseconds: duration, exitCode: 0 };
  }
  if (program === "false") return { exitAfterMilliseconds: 0, exitCode: 1 };
  if (program === "exit") return { exitAfterMilliseconds: 0, exitCode: (Number(args[0] ?? 0) || 0) & 255 };
  if (program === "tail" && args.some((arg) => /^-[a-zA-Z]*[fF]$/.test(arg))) return "endless";
  if (program === "cat" && args.length === 0) return undefined;
  return shortCommands.has(program) ? { exitAfterMilliseconds: 0, exitCode: 0 } : undefined;
}

/** A list of simple commands joined by `;`, `&&`, `||` or new lines; loops are endless, all else is unknown. */
function outcomeOfScript(script: string): Outcome {
  const commands = splitScript(script);
  if (commands === undefined) return undefined;
  let total = 0;
  let exitCode = 0;
  for (const { words, after } of commands) {
    const program = words[0]?.split("/").pop();
    if (program === undefined) continue;
    if (after === "&&" ? exitCode !== 0 : after === "||" ? exitCode === 0 : false) continue;
    if (program === "while" || program === "until" || program === "for") {
      return /^(while (true|:|sleep|\[ 1 \])|until false|for \(\(;;)/.test(words.join(" ")) ? "endless" : undefined;
    }
    const outcome = outcomeOfCommand(program, words.slice(1));
    if (outcome === undefined || outcome === "endless") return outcome;
    total += outcome.exitAfterMilliseconds;
    exitCode = outcome.exitCode;
    if (program === "exit") break;
  }
  return { exitAfterMilliseconds: total, exitCode };
}

type Separator = "" | ";" | "&&" | "||";

/** Undefined for scripts with pipes, background jobs or unfinished quotes. */
function splitScript(script: string): { words: string[]; after: Separator }[] | undefined {
  const commands: { words: string[]; after: Separator }[] = [];
  let current: { words: string[]; after: Separator } = { words: [], after: "" };
  let word: string | undefined;
  let quote = "";
  const endWord = (): void => {
    if (word !== undefined) current.words.push(word);
    word = undefined;
  };
  for (let index = 0; index < script.length; index++) {
    const character = script[index]!;
    if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      endWord();
    } else if (character === ";" || character === "\n" || character === "&" || character === "|") {
      endWord();
      const double = script[index + 1] === character;
      const redirect = character === "&" && script[index - 1] === ">";
      if (redirect) {
        word = "&";
        continue;
      }
      if ((character === "&" || character === "|") && !double) return undefined;
      commands.push(current);
      const joined = double && character !== ";" && character !== "\n";
      current = { words: [], after: joined ? ((character + character) as Separator) : ";" };
      if (joined) index++;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") return undefined;
  endWord();
  commands.push(current);
  return commands;
}
