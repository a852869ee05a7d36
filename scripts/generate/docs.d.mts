export interface DocsFolders {
  clientNode: string;
  kubernetesModels: string;
  apimachinery: string;
}
export function buildDocs(
  structs: Record<string, string[]>,
  folders: DocsFolders,
): { structs: Record<string, [string, Record<string, string>]>; parameters: Record<string, string> };
