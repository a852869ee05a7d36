import type { KubeObject } from "../../apimachinery/meta.ts";
import { list, listWithMore, text } from "./cells.ts";
import { age, column, name, tablePrinter } from "./columns.ts";

/** Group discovery.k8s.io. Mirrors pkg/printers/internalversion/printers.go (1.36). */

const ports = (slice: KubeObject): string =>
  listWithMore(list(slice.ports).map(({ port, name }) => String(port ?? name ?? "*")));

const addresses = (slice: KubeObject): string =>
  listWithMore(list(slice.endpoints).flatMap((endpoint) => list(endpoint.addresses)));

const endpointslices = tablePrinter(
  name,
  column("AddressType", "IPv4, IPv6 or FQDN.", (slice) => text(slice.addressType)),
  column("Ports", "First ports.", ports),
  column("Endpoints", "First addresses.", addresses),
  age,
);

export const discoveryPrinters = { endpointslices };
