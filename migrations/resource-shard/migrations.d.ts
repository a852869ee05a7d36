declare const migrations: {
  journal: { entries: { idx: number; when: number; tag: string; breakpoints: boolean }[] };
  migrations: Record<string, string>;
};
// oxlint-disable-next-line import/no-default-export -- the shape that drizzle-kit generates
export default migrations;
