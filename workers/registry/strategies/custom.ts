import type { Strategy } from "../strategy.ts";

/** Custom resources: all that is special about one lies in its definition. Mirrors pkg/registry/customresource/strategy.go of k8s.io/apiextensions-apiserver (1.36). */
export const customStrategy: Strategy = {
  generation: "all",
  requireResourceVersion: true,

  prepareForCreate(object, scope) {
    if (scope.resource.subresources.some(({ name }) => name === "status")) delete object.status;
  },

  validate: (object, scope) => scope.resource.custom!.validate(object, undefined, "object"),

  validateUpdate: (object, previous, scope) => scope.resource.custom!.validate(object, previous, "object"),

  validateStatusUpdate: (object, previous, scope) => scope.resource.custom!.validate(object, previous, "status"),
};
