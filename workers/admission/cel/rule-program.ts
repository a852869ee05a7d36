import type { Environment, Program } from "./environment.ts";
import { compile, extend, kubernetesEnvironment } from "./environment.ts";
import type { StructuralSchema, ValidationRule } from "./structural-schema.ts";
import { schemaType } from "./schema-types.ts";
import type { DeclType } from "./schema-types.ts";
import { optionalOf } from "./types.ts";

/** Nobody may depend on it: upstream makes up a new one each time. */
const selfTypeName = "selfType";

export interface RuleProgram {
  readonly rule: ValidationRule;
  /** Undefined when the rule is blank or wrong. */
  readonly program: Program | undefined;
  readonly error: string | undefined;
  readonly message: Program | undefined;
  readonly messageError: string | undefined;
  readonly usesOldSelf: boolean;
}

export interface RuleScope {
  readonly self: DeclType;
  readonly environment: Environment;
  /** With oldSelf as an optional. */
  readonly optionalEnvironment: Environment;
}

/** Undefined for a schema that expressions cannot reach. */
export function ruleScope(schema: StructuralSchema, isResourceRoot: boolean): RuleScope | undefined {
  const self = schemaType(schema, isResourceRoot, selfTypeName);
  if (self === undefined) return undefined;
  const { type } = self;
  return {
    self,
    environment: extend(kubernetesEnvironment, { variables: { self: type, oldSelf: type } }),
    optionalEnvironment: extend(kubernetesEnvironment, { variables: { self: type, oldSelf: optionalOf(type) } }),
  };
}

/** Mirrors k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel/compilation.go (1.36). */
export function compileRule(rule: ValidationRule, scope: RuleScope): RuleProgram {
  const environment = rule.optionalOldSelf === true ? scope.optionalEnvironment : scope.environment;
  const failed = (error: string | undefined): RuleProgram => ({
    rule,
    program: undefined,
    error,
    message: undefined,
    messageError: undefined,
    usesOldSelf: false,
  });
  if (rule.rule.trim() === "") return failed(undefined);
  const compiled = compile(rule.rule, environment);
  if (compiled.program === undefined) return failed(`compilation failed: ${compiled.error}`);
  const { program } = compiled;
  if (program.type.kind !== "bool") return failed("cel expression must evaluate to a bool");
  const message = compileMessage(rule, environment);
  return {
    rule,
    program,
    error: undefined,
    message: message.program,
    messageError: message.error,
    usesOldSelf: program.references("oldSelf"),
  };
}

function compileMessage(rule: ValidationRule, environment: Environment): { program?: Program; error?: string } {
  if (rule.messageExpression === undefined || rule.messageExpression === "") return {};
  const compiled = compile(rule.messageExpression, environment);
  if (compiled.program === undefined) return { error: `messageExpression compilation failed: ${compiled.error}` };
  if (compiled.program.type.kind !== "string") return { error: "messageExpression must evaluate to a string" };
  return { program: compiled.program };
}

/** Why a schema that cannot be reached takes no rules. */
export function unsupportedSchema(schema: StructuralSchema): string {
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return `rule declared on schema that does not support validation rules type: '${schema.type ?? ""}' x-kubernetes-preserve-unknown-fields: '${preserve}'`;
}
