import { printerFor } from "../../workers/apis/printers/printers.ts";
import { parseApiVersion } from "../../workers/apimachinery/gvk.ts";
import type { KubeObject } from "../../workers/apimachinery/meta.ts";
import { printerOfText } from "../../workers/apiserver/extensions/columns.ts";
import { catalog } from "../../workers/apis/catalog.ts";
import { encodeBinaryFrame } from "../../workers/apis/codec/encode.ts";
import { converterFor } from "../../workers/registry/conversion.ts";
import { newEventEncoder } from "../../workers/storage/cacher/event-encoder.ts";

/** How events are shown: with the printers of the kinds, in the version and encoding that the watcher asked for. */
export const encoder = newEventEncoder({
  tableRowsFor(columns, objects) {
    const slash = columns.lastIndexOf("/");
    const printer =
      printerOfText(columns) ?? printerFor(slash < 0 ? "" : columns.slice(0, slash), columns.slice(slash + 1));
    return {
      columnDefinitions: [...printer.columns],
      rows: objects.map((object) => ({ cells: printer.cells(object, Date.now()) })),
    };
  },
  encodeFrame: encodeBinaryFrame,
  convert(value, apiVersion, kind) {
    const { group, version } = parseApiVersion(apiVersion);
    const resource = catalog.findKind(group, version, kind);
    const converter = resource === undefined ? undefined : converterFor(resource);
    return converter === undefined ? value : JSON.stringify(converter.fromStorage(JSON.parse(value) as KubeObject));
  },
});
