import type { KubeObject } from "../kube-object.ts";
import { ageOf } from "./human-duration.ts";
import type { Column } from "./resource-definition.ts";

type Cell = Column["cell"];

/** A column of text that `kubectl get` always shows; the cell of a string column may be a number, as on a real server. */
export function textColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: "string", format: "", description, priority: 0, cell };
}

/** Shown with `-o wide` only. */
export function wideColumn(name: string, description: string, cell: Cell): Column {
  return { ...textColumn(name, description, cell), priority: 1 };
}

export function integerColumn(name: string, description: string, cell: Cell): Column {
  return { ...textColumn(name, description, cell), type: "integer" };
}

export function booleanColumn(name: string, description: string, cell: Cell): Column {
  return { ...textColumn(name, description, cell), type: "boolean" };
}

export const nameColumn: Column = {
  ...textColumn("Name", "Unique among the objects of its kind and namespace.", (object) => object.metadata.name),
  format: "name",
};

export const ageColumn: Column = textColumn("Age", "Time since the object was created.", (object, now) =>
  ageOf(object.metadata.creationTimestamp, now),
);

/** What the server shows for kinds that it has no columns for. */
export const plainColumns: readonly Column[] = [
  nameColumn,
  {
    ...textColumn("Created At", "When the object was created.", (object) => object.metadata.creationTimestamp),
    type: "date",
  },
];

/** Reads the object as the type that its kind has; the decoder has checked the types of all fields. */
export function cellOf<T>(read: (object: T, now: number) => unknown): Cell {
  return (object: KubeObject, now) => read(object as unknown as T, now);
}
