const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A duration in at most two units, coarser the longer it is. Milliseconds; a clock skew of less than two seconds counts
 * as now, anything more negative is `<invalid>`. Mirrors k8s.io/apimachinery pkg/util/duration/duration.go (1.36).
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / minute);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(milliseconds / hour);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return twoUnits(days, "d", hours % 24, "h");
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  if (years < 8) return twoUnits(years, "y", days % 365, "d");
  return `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
