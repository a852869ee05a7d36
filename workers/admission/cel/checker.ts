import type { CallExpr, ComprehensionExpr, Expr, SelectExpr } from "./ast.ts";
import type { Issue } from "./errors.ts";
import type { FunctionDeclaration, Overload } from "./functions.ts";
import { Substitution } from "./substitution.ts";
import type { CelType, ObjectType } from "./types.ts";
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  errorType,
  formatType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  param,
  stringType,
  typeOf,
  uintType,
} from "./types.ts";
import type { Value } from "./values.ts";
import { CelUint } from "./values.ts";

export type Reference =
  | { readonly kind: "local"; readonly name: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly type: CelType }
  | {
      readonly kind: "call";
      readonly name: string;
      /** Those that the static types allow. */
      readonly overloads: readonly Overload[];
      /** The target is part of the name, as in `math.least(1, 2)`. */
      readonly qualified: boolean;
    }
  | { readonly kind: "struct"; readonly type: ObjectType };

export interface CheckedExpr {
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
}

export interface Scope {
  readonly container: string;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** Names that denote types, as in `type(x) == string`. */
  readonly typeNames: ReadonlyMap<string, CelType>;
  /** Types that `Name{field: value}` makes. */
  readonly structs: { get(name: string): ObjectType | undefined };
  /** Lists and maps written in the expression have elements of one type. */
  readonly homogeneousLiterals: boolean;
}

/** `a.b.c` of a chain of plain selections. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function candidates(container: string, name: string): string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  const found: string[] = [];
  for (let prefix = container; prefix !== ""; prefix = prefix.slice(0, Math.max(prefix.lastIndexOf("."), 0))) {
    found.push(`${prefix}.${name}`);
  }
  return [...found, name];
}

/** Infers the type of every node and resolves every name. Mirrors cel-go checker/checker.go. */
export function check(expr: Expr, scope: Scope): { checked: CheckedExpr; issues: Issue[] } {
  const checker = new Checker(scope);
  const type = checker.check(expr);
  return { checked: checker.finish(expr, type), issues: checker.issues };
}

class Checker {
  readonly #scope: Scope;
  readonly issues: Issue[] = [];
  readonly #types = new Map<number, CelType>();
  readonly #references = new Map<number, Reference>();
  readonly #locals: Map<string, CelType>[] = [];
  readonly #substitution = new Substitution();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  finish(expr: Expr, type: CelType): CheckedExpr {
    for (const [id, found] of this.#types) this.#types.set(id, this.#substitution.resolve(found, true));
    return { expr, type: this.#substitution.resolve(type, true), types: this.#types, references: this.#references };
  }

  #report(position: number, message: string): CelType {
    this.issues.push({ position, message });
    return errorType;
  }

  check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    this.#types.set(expr.id, type);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return literalType(expr.value);
      case "ident":
        return this.#ident(expr.id, expr.name) ?? this.#undeclared(expr.position, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list": {
        let element: CelType | undefined;
        for (const [index, item] of expr.elements.entries()) {
          const found = this.check(item);
          const type = expr.optional.includes(index) ? this.#unwrapOptional(found, item) : found;
          element = this.#join(element, type, item.position);
        }
        return listOf(element ?? this.#fresh());
      }
      case "map": {
        let key: CelType | undefined;
        let value: CelType | undefined;
        for (const entry of expr.entries) {
          key = this.#join(key, this.check(entry.key), entry.key.position);
          const found = this.check(entry.value);
          const type = entry.optional ? this.#unwrapOptional(found, entry.value) : found;
          value = this.#join(value, type, entry.value.position);
        }
        return mapOf(key ?? this.#fresh(), value ?? this.#fresh());
      }
      case "struct": {
        for (const name of candidates(this.#scope.container, expr.typeName)) {
          const type = this.#scope.structs.get(name);
          if (type === undefined) continue;
          this.#references.set(expr.id, { kind: "struct", type });
          for (const field of expr.fields) {
            const declared = type.fields.get(field.name);
            const found = this.check(field.value);
            const given = field.optional ? this.#unwrapOptional(found, field.value) : found;
            if (declared === undefined) this.#report(field.position, `undefined field '${field.name}'`);
            else if (!this.#substitution.assign(declared, given)) {
              this.#report(
                field.position,
                `expected type of field '${field.name}' is '${formatType(declared)}' but provided type is '${this.#format(given)}'`,
              );
            }
          }
          return type;
        }
        for (const field of expr.fields) this.check(field.value);
        if (this.#scope.typeNames.has(expr.typeName))
          return this.#report(expr.position, `'${expr.typeName}' is not a message type`);
        return this.#undeclared(expr.position, expr.typeName);
      }
      case "comprehension":
        return this.#comprehension(expr);
    }
  }

  #undeclared(position: number, name: string): CelType {
    return this.#report(
      position,
      `undeclared reference to '${name.replace(/^\./, "")}' (in container '${this.#scope.container}')`,
    );
  }

  #fresh(): CelType {
    return this.#substitution.fresh();
  }

  #format(type: CelType): string {
    return formatType(this.#substitution.resolve(type, true));
  }

  #unwrapOptional(type: CelType, at: Expr): CelType {
    const found = this.#substitution.resolve(type, false);
    if (found.kind === "opaque" && found.name === "optional_type") return found.params[0] ?? dynType;
    if (found.kind === "dyn" || found.kind === "error") return found;
    return this.#report(
      at.position,
      `expected type 'optional_type(${this.#format(found)})' but found '${this.#format(found)}'`,
    );
  }

  #join(previous: CelType | undefined, current: CelType, position: number): CelType {
    if (previous === undefined) return current;
    if (this.#substitution.assign(previous, current)) return this.#substitution.moreGeneral(previous, current);
    if (!this.#scope.homogeneousLiterals) return dynType;
    return this.#report(position, `expected type '${this.#format(previous)}' but found '${this.#format(current)}'`);
  }

  #local(name: string): CelType | undefined {
    for (let depth = this.#locals.length - 1; depth >= 0; depth--) {
      const type = this.#locals[depth]?.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  #ident(id: number, name: string): CelType | undefined {
    const local = this.#local(name);
    if (local !== undefined) {
      this.#references.set(id, { kind: "local", name });
      return local;
    }
    for (const candidate of candidates(this.#scope.container, name)) {
      const variable = this.#scope.variables.get(candidate);
      if (variable !== undefined) {
        this.#references.set(id, { kind: "variable", name: candidate });
        return variable;
      }
      const type = this.#scope.typeNames.get(candidate) ?? this.#scope.structs.get(candidate);
      if (type !== undefined) {
        this.#references.set(id, { kind: "type", type });
        return typeOf(type);
      }
    }
    return undefined;
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    const root = name?.slice(0, name.indexOf(".", 1));
    if (name !== undefined && root !== undefined && this.#local(root) === undefined) {
      const type = this.#ident(expr.id, name);
      if (type !== undefined) return type;
    }
    const operand = this.check(expr.operand);
    const type = this.#field(operand, expr.field, expr.position);
    return expr.testOnly ? boolType : type;
  }

  #field(operand: CelType, field: string, position: number): CelType {
    const type = this.#substitution.resolve(operand, false);
    switch (type.kind) {
      case "error":
      case "dyn":
        return dynType;
      case "map":
        return type.value;
      case "object":
        return type.fields.get(field) ?? this.#report(position, `undefined field '${field}'`);
      case "param":
        this.#substitution.assign(type, dynType);
        return dynType;
      case "opaque":
        if (type.name === "optional_type") return optionalOf(this.#field(type.params[0] ?? dynType, field, position));
        break;
      default:
    }
    return this.#report(position, `type '${this.#format(type)}' does not support field selection`);
  }

  #call(expr: CallExpr): CelType {
    if (expr.function === "_?._") return this.#optionalSelect(expr);
    if (expr.target === undefined) {
      const declaration = this.#function(expr.function);
      const args = expr.args.map((arg) => this.check(arg));
      if (declaration === undefined) return this.#undeclared(expr.position, expr.function);
      return this.#resolve(expr, declaration, args, false, false);
    }
    const prefix = qualifiedName(expr.target);
    const root = prefix?.replace(/^(\.?[^.]*)[\s\S]*$/, "$1");
    if (prefix !== undefined && root !== undefined && this.#local(root) === undefined) {
      const declaration = this.#function(`${prefix}.${expr.function}`);
      if (declaration !== undefined) {
        const args = expr.args.map((arg) => this.check(arg));
        return this.#resolve(expr, declaration, args, false, true);
      }
    }
    const target = this.check(expr.target);
    const args = expr.args.map((arg) => this.check(arg));
    const declaration = this.#scope.functions.get(expr.function);
    if (declaration === undefined) return this.#undeclared(expr.position, expr.function);
    return this.#resolve(expr, declaration, [target, ...args], true, false);
  }

  #function(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidates(this.#scope.container, name)) {
      const declaration = this.#scope.functions.get(candidate);
      if (declaration !== undefined) return declaration;
    }
    return undefined;
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args as [Expr, Expr];
    const type = this.#substitution.resolve(this.check(operand), false);
    this.check(field);
    const inner = type.kind === "opaque" && type.name === "optional_type" ? (type.params[0] ?? dynType) : type;
    const name = field.kind === "literal" && typeof field.value === "string" ? field.value : "";
    this.#references.set(expr.id, { kind: "call", name: expr.function, overloads: [], qualified: false });
    return optionalOf(this.#field(inner, name, expr.position));
  }

  #resolve(
    expr: CallExpr,
    declaration: FunctionDeclaration,
    args: CelType[],
    member: boolean,
    qualified: boolean,
  ): CelType {
    if (declaration.name === "_&&_" || declaration.name === "_||_") return this.#logical(expr, declaration, args);
    const matching: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of declaration.overloads) {
      if (overload.member !== member || overload.params.length !== args.length) continue;
      const mark = this.#substitution.mark();
      const { params, result: type } = this.#substitution.instantiate(overload);
      if (!params.every((parameter, index) => this.#substitution.assign(parameter, args[index] as CelType))) {
        this.#substitution.rollback(mark);
        continue;
      }
      matching.push(overload);
      const found = this.#substitution.resolve(type, false);
      if (result === undefined) result = found;
      else if (!this.#substitution.equal(result, found)) result = dynType;
    }
    this.#references.set(expr.id, { kind: "call", name: declaration.name, overloads: matching, qualified });
    if (result !== undefined) return result;
    if (args.some((arg) => this.#substitution.resolve(arg, false).kind === "error")) return errorType;
    const shown = args.map((arg) => this.#format(arg));
    const signature = member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
    return this.#report(
      expr.position,
      `found no matching overload for '${declaration.name}' applied to '${signature}'`,
    );
  }

  /** Each operand is judged by itself. */
  #logical(expr: CallExpr, declaration: FunctionDeclaration, args: CelType[]): CelType {
    this.#references.set(expr.id, {
      kind: "call",
      name: declaration.name,
      overloads: declaration.overloads,
      qualified: false,
    });
    let result = boolType;
    for (const [index, type] of args.entries()) {
      if (this.#substitution.assign(type, boolType)) continue;
      result = this.#report(
        (expr.args[index] as Expr).position,
        `expected type 'bool' but found '${this.#format(type)}'`,
      );
    }
    return result;
  }

  #comprehension(expr: ComprehensionExpr): CelType {
    const range = this.#substitution.resolve(this.check(expr.iterRange), false);
    const accu = this.check(expr.accuInit);
    let first: CelType = dynType;
    let second: CelType = dynType;
    const two = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case "list":
        first = two ? intType : range.element;
        second = range.element;
        break;
      case "map":
        first = range.key;
        second = range.value;
        break;
      case "dyn":
      case "error":
        break;
      case "param":
        this.#substitution.assign(range, dynType);
        break;
      default:
        first = this.#report(
          expr.iterRange.position,
          `expression of type '${this.#format(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        second = errorType;
    }
    this.#locals.push(new Map([[expr.accuVar, accu]]));
    const vars = new Map([[expr.iterVar, first]]);
    if (expr.iterVar2 !== undefined) vars.set(expr.iterVar2, second);
    this.#locals.push(vars);
    const condition = this.check(expr.loopCondition);
    this.#expect(condition, boolType, expr.loopCondition.position);
    const step = this.check(expr.loopStep);
    this.#expect(step, accu, expr.loopStep.position);
    this.#locals.pop();
    const result = this.check(expr.result);
    this.#locals.pop();
    return this.#substitution.resolve(result, false);
  }

  #expect(found: CelType, expected: CelType, position: number): void {
    if (this.#substitution.assign(expected, found)) return;
    this.#report(position, `expected type '${this.#format(expected)}' but found '${this.#format(found)}'`);
  }
}

function literalType(value: Value): CelType {
  if (value === null) return nullType;
  if (value instanceof CelUint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    case "string":
      return stringType;
    default:
      return param("never");
  }
}
