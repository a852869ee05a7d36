/** No vowels and no look-alikes, as k8s.io/apimachinery pkg/util/rand. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedNameLength = 63;

/** Mirrors k8s.io/apiserver pkg/storage/names: the base cut so that base and suffix fit in 63 characters. */
export function generateName(base: string, random: () => number): string {
  let suffix = "";
  for (let index = 0; index < suffixLength; index++) suffix += alphabet[Math.floor(random() * alphabet.length)];
  return base.slice(0, maxGeneratedNameLength - suffixLength) + suffix;
}
