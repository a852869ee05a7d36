/*
 * Sets of fields in the very form of FieldsV1, so that nothing has to be converted: an object from path element to the
 * node below it. An empty node is a member; a node with entries is a member only if it has the entry ".". The set itself
 * has no ".". Sets are immutable and share unchanged parts, so the cost of an operation is that of the smaller set.
 * Mirrors sigs.k8s.io/structured-merge-diff fieldpath/{set,serialize}.go (v6).
 */
import { compareElements, formatElement, parseElement } from "./path-element.ts";
import type { PathElement } from "./path-element.ts";

export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

export const emptySet: FieldSet = Object.freeze({});

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the field of this node itself is in the set. */
export function isMember(node: FieldSet): boolean {
  return node["."] !== undefined || isEmpty(node);
}

export function childrenOf(node: FieldSet): FieldSet {
  if (node["."] === undefined) return node;
  const { ".": _member, ...children } = node;
  return children;
}

/** undefined: neither a member nor any children. */
export function makeNode(member: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmpty(children)) return member ? emptySet : undefined;
  return member ? { ".": emptySet, ...children } : children;
}

export function setOf(...paths: PathElement[][]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node = set;
  for (const element of path) {
    const next = node[element];
    if (next === undefined) return false;
    node = next;
  }
  return path.length > 0 && isMember(node);
}

/** What the set has below an element. */
export function withPrefix(set: FieldSet, element: PathElement): FieldSet {
  const node = set[element];
  return node === undefined ? emptySet : childrenOf(node);
}

export function hasMember(set: FieldSet, element: PathElement): boolean {
  const node = set[element];
  return node !== undefined && isMember(node);
}

type Changes = Map<PathElement, FieldSet | undefined>;

/** The set with some entries replaced; undefined removes one. Order is kept, new entries come last. */
function replace(set: FieldSet, changes: Changes | undefined): FieldSet {
  if (changes === undefined) return set;
  const result: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const node = changes.has(element) ? changes.get(element) : set[element];
    if (node !== undefined) result[element] = node;
  }
  for (const [element, node] of changes) {
    if (set[element] === undefined && node !== undefined) result[element] = node;
  }
  return result;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b;
  return replace(a, additions(a, b));
}

/** What has to change below `a` for it to have all that is below `b`. */
function additions(a: FieldSet, b: FieldSet): Changes | undefined {
  let changes: Changes | undefined;
  for (const element in b) {
    if (element === ".") continue;
    const mine = a[element];
    const theirs = b[element]!;
    const both = mine === undefined ? theirs : unionOfNodes(mine, theirs);
    if (both !== mine) (changes ??= new Map()).set(element, both);
  }
  return changes;
}

function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const wasMember = isMember(a);
  const member = wasMember || isMember(b);
  const changes = additions(a, b);
  if (changes === undefined && member === wasMember) return a;
  return makeNode(member, replace(childrenOf(a), changes))!;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const result: Record<PathElement, FieldSet> = {};
  for (const element in a) {
    const theirs = b[element];
    if (theirs === undefined) continue;
    const mine = a[element]!;
    const node = makeNode(isMember(mine) && isMember(theirs), intersection(childrenOf(mine), childrenOf(theirs)));
    if (node !== undefined) result[element] = node;
  }
  return result;
}

/** Members of `a` that are not members of `b`: a parent in `b` takes nothing from below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return replace(a, removals(a, b));
}

/** What has to change below `a` for it to have nothing that is below `b`. */
function removals(a: FieldSet, b: FieldSet): Changes | undefined {
  let changes: Changes | undefined;
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined || element === ".") continue;
    const rest = differenceOfNodes(mine, b[element]!);
    if (rest !== mine) (changes ??= new Map()).set(element, rest);
  }
  return changes;
}

function differenceOfNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const wasMember = isMember(a);
  const member = wasMember && !isMember(b);
  const changes = removals(a, b);
  if (changes === undefined && member === wasMember) return a;
  return makeNode(member, replace(childrenOf(a), changes));
}

/** Takes with every member of `b` all that is below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  let changes: Changes | undefined;
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined) continue;
    const theirs = b[element]!;
    if (isMember(theirs)) (changes ??= new Map()).set(element, undefined);
    else {
      const children = childrenOf(mine);
      const rest = recursiveDifference(children, theirs);
      if (rest !== children) (changes ??= new Map()).set(element, makeNode(isMember(mine), rest));
    }
  }
  return replace(a, changes);
}

export function equals(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const element in a) {
    const theirs = b[element];
    if (theirs === undefined || !equals(a[element]!, theirs)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** Members before what is below them, in the order of serialisation. */
export function pathsOf(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = [];
  collect(set, [], paths);
  return paths;
}

function collect(set: FieldSet, prefix: PathElement[], paths: PathElement[][]): void {
  const elements = Object.keys(set)
    .filter((element) => element !== ".")
    .sort(compareElements);
  for (const element of elements) if (isMember(set[element]!)) paths.push([...prefix, element]);
  for (const element of elements) collect(set[element]!, [...prefix, element], paths);
}

/** The set with its entries in the order in which upstream writes them; the same object when they are. */
export function sortSet(set: FieldSet): FieldSet {
  let sorted = true;
  let changed = false;
  let previous = "";
  const nodes: Record<PathElement, FieldSet> = {};
  for (const element in set) {
    const node = set[element]!;
    if (element === ".") {
      sorted &&= previous === "";
    } else {
      sorted &&= previous === "" || previous === "." || compareElements(previous, element) < 0;
    }
    previous = element;
    const below = sortSet(node);
    changed ||= below !== node;
    nodes[element] = below;
  }
  if (sorted) return changed ? nodes : set;
  const result: Record<PathElement, FieldSet> = {};
  if (nodes["."] !== undefined) result["."] = emptySet;
  for (const element of Object.keys(nodes)
    .filter((name) => name !== ".")
    .sort(compareElements))
    result[element] = nodes[element]!;
  return result;
}

/**
 * A set from FieldsV1 that a client wrote: keys in canonical order, elements of unknown kinds dropped. Returns the
 * argument itself when there is nothing to mend. Throws on malformed elements.
 */
export function parseFieldSet(fields: unknown): FieldSet {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw new Error("expected an object of path elements");
  }
  const { set } = parseNode(fields as Record<string, unknown>);
  return childrenOf(set ?? emptySet);
}

function parseNode(node: Record<string, unknown>): { set: FieldSet | undefined; member: boolean } {
  let same = true;
  let member = false;
  const result: Record<PathElement, FieldSet> = {};
  for (const text in node) {
    if (text === ".") {
      member = true;
      continue;
    }
    const element = text.startsWith("f:") ? text : canonical(text);
    if (element === undefined) {
      same = false;
      continue;
    }
    const below = node[text];
    const isObject = typeof below === "object" && below !== null && !Array.isArray(below);
    const child = isObject ? parseNode(below as Record<string, unknown>) : { set: undefined, member: true };
    const parsed = child.set === undefined ? emptySet : child.set;
    same &&= element === text && parsed === below;
    const existing = result[element];
    result[element] = existing === undefined ? parsed : unionOfNodes(existing, parsed);
  }
  if (isEmpty(result))
    return { set: isEmpty(node as unknown as FieldSet) ? (node as unknown as FieldSet) : undefined, member: true };
  if (same) return { set: node as unknown as FieldSet, member };
  return { set: makeNode(member, result), member };
}

const maxKnownElements = 4_096;
const knownElements = new Map<string, PathElement | undefined>();

/** Keys such as `k:{"name":"main"}` come again and again; their canonical forms are kept, up to a bound. */
function canonical(text: string): PathElement | undefined {
  const known = knownElements.get(text);
  if (known !== undefined) return known;
  const parsed = parseElement(text);
  const element = parsed === undefined ? undefined : formatElement(parsed);
  if (element !== undefined && text.length < 256) {
    if (knownElements.size >= maxKnownElements) knownElements.clear();
    knownElements.set(text, element);
  }
  return element;
}

type MutableSet = { [element: PathElement]: MutableSet };

/** Collects fields one by one. */
export class FieldSetBuilder {
  #root: MutableSet = {};

  /** The empty path, the whole object, belongs to nobody. */
  insert(path: readonly PathElement[]): void {
    if (path.length === 0) return;
    const parent = this.#descend(path);
    const last = path[path.length - 1]!;
    const existing = parent[last];
    if (existing === undefined) parent[last] = {};
    else if (existing["."] === undefined && !isEmpty(existing)) existing["."] = {};
  }

  #descend(path: readonly PathElement[]): MutableSet {
    let node = this.#root;
    for (let index = 0; index < path.length - 1; index++) {
      const element = path[index]!;
      const next = node[element];
      if (next === undefined) node = node[element] = {};
      else {
        // A member that gets its first child has to say that it is one.
        if (isEmpty(next)) next["."] = {};
        node = next;
      }
    }
    return node;
  }

  /** The builder must not be used afterwards. */
  build(): FieldSet {
    return this.#root;
  }
}
