/** Scales scores to [0, maxPriority] in integers, reversed if asked. Mirrors plugins/helper/normalize_score.go (1.36). */
export function defaultNormalizeScore(maxPriority: number, reverse: boolean, scores: number[]): void {
  let max = 0;
  for (const score of scores) if (score > max) max = score;
  if (max === 0) {
    if (reverse) scores.fill(maxPriority);
    return;
  }
  for (let i = 0; i < scores.length; i++) {
    const score = Math.trunc((maxPriority * scores[i]!) / max);
    scores[i] = reverse ? maxPriority - score : score;
  }
}
