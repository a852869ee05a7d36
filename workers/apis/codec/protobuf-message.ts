import { schemaTable } from "../schema-table.ts";
import type { FieldInfo, InlineMessage, StructInfo, TypeRef } from "../schema.ts";

/** A field of a protobuf message: a JSON field, or the message of an embedded Go struct, whose fields are the outer's. */
export type MessageField =
  | { embedded: false; name: string; type: TypeRef }
  | { embedded: true; name: string; message: Message };

/** Fields by number, ascending. */
export type Message = ReadonlyMap<number, MessageField>;

const messages = new WeakMap<StructInfo, Message>();

export const jsonSchemaPropsName = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps";

export function messageOf(struct: StructInfo): Message {
  const known = messages.get(struct);
  if (known !== undefined) return known;
  const built = sorted(build([...struct.fields.values()].filter((field) => field.protobuf > 0)));
  messages.set(struct, built);
  return built;
}

export function messageOfName(name: string): Message {
  const struct = schemaTable.struct(name);
  if (struct === undefined) throw new Error(`schema table has no struct ${name}`);
  return messageOf(struct);
}

function build(fields: readonly FieldInfo[]): Map<number, MessageField> {
  const message = new Map<number, MessageField>();
  for (const field of fields) {
    let target = message;
    for (const inline of outermostFirst(field.inline)) target = embeddedIn(target, inline);
    target.set(field.protobuf, { embedded: false, name: field.name, type: field.type });
  }
  return message;
}

function outermostFirst(inline: InlineMessage | undefined): InlineMessage[] {
  return inline === undefined ? [] : [...outermostFirst(inline.outer), inline];
}

function embeddedIn(message: Map<number, MessageField>, inline: InlineMessage): Map<number, MessageField> {
  const known = message.get(inline.protobuf);
  if (known?.embedded === true) return known.message as Map<number, MessageField>;
  const inner = new Map<number, MessageField>();
  message.set(inline.protobuf, { embedded: true, name: inline.name, message: inner });
  return inner;
}

function sorted(message: Map<number, MessageField>): Map<number, MessageField> {
  const result = new Map<number, MessageField>();
  for (const [number, field] of [...message].sort(([a], [b]) => a - b)) {
    result.set(number, field.embedded ? { ...field, message: sorted(new Map(field.message)) } : field);
  }
  return result;
}
