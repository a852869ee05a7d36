import type { KubeObject } from "../../apimachinery/meta.ts";
import { booleanText, count, formatLabelSelector, isTrue, list, millisecondsOf, since, text } from "./cells.ts";
import { age, boolean, column, integer, name, tablePrinter } from "./columns.ts";
import { humanDuration } from "./human-duration.ts";
import { selector, templateColumns } from "./template-columns.ts";

/** Group batch. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const jobs = tablePrinter(
  name,
  column("Status", "State of the job.", jobStatus),
  column("Completions", "Succeeded pods of needed ones.", completions),
  column("Duration", "Time the job took, or has taken so far.", jobDuration),
  age,
  ...templateColumns(),
  selector((job) => formatLabelSelector(job.spec?.selector)),
);

function jobStatus(job: KubeObject): string {
  const conditions = job.status?.conditions;
  if (isTrue(conditions, "Complete")) return "Complete";
  if (isTrue(conditions, "Failed")) return "Failed";
  if (job.metadata?.deletionTimestamp) return "Terminating";
  for (const type of ["Suspended", "FailureTarget", "SuccessCriteriaMet"]) {
    if (isTrue(conditions, type)) return type;
  }
  return "Running";
}

function completions(job: KubeObject): string {
  const succeeded = count(job.status?.succeeded);
  const { completions, parallelism } = job.spec ?? {};
  if (typeof completions === "number") return `${succeeded}/${completions}`;
  return count(parallelism) > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = millisecondsOf(job.status?.startTime);
  return start === undefined ? "" : humanDuration((millisecondsOf(job.status?.completionTime) ?? now) - start);
}

const jobSpec = (cronJob: KubeObject): any => cronJob.spec?.jobTemplate?.spec;

const cronjobs = tablePrinter(
  name,
  column("Schedule", "Cron expression.", (cronJob) => text(cronJob.spec?.schedule)),
  column("Timezone", "Time zone of the schedule.", (cronJob) => cronJob.spec?.timeZone ?? "<none>"),
  boolean("Suspend", "Whether no jobs are started.", (cronJob) => booleanText(cronJob.spec?.suspend)),
  integer("Active", "Running jobs.", (cronJob) => list(cronJob.status?.active).length),
  column("Last Schedule", "Time since the last start.", (cronJob, now) =>
    cronJob.status?.lastScheduleTime ? since(cronJob.status.lastScheduleTime, now) : "<none>",
  ),
  age,
  ...templateColumns((cronJob) => jobSpec(cronJob)?.template?.spec),
  selector((cronJob) => formatLabelSelector(jobSpec(cronJob)?.selector)),
);

export const batchPrinters = { cronjobs, jobs };
