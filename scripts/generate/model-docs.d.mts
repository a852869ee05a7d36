export interface ModelDocs {
  doc: string;
  fields: Record<string, string>;
}
export function clientNodeDocs(packageFolder: string): Map<string, ModelDocs>;
export function kubernetesModelsDocs(...packageFolders: string[]): Map<string, ModelDocs>;
export function parameterDocs(packageFolder: string): Record<string, string>;
