import type { SchemaDefinition } from 'mongoose'

/** A field of a stored document. The document's type follows from its fields (`Document`). */
export interface Field<Value> {
  /** What Mongoose casts the value to. */
  type: unknown
  /** The fields of a part, or of each part in a list. */
  fields?: Fields
  /** Set only for a part or a list that isn't always there: Mongoose's own default would be an empty one. */
  options?: { default: null | undefined }
  isOptional?: boolean
  isSecret?: boolean
  /** Never set. It only carries the type. */
  value?: Value
}
export type Fields = Record<string, Field<unknown>>
type Optional<Value> = Field<Value> & { isOptional: true }
type Part<F extends Fields> = Field<Document<F>> & { fields: F }

type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Optional<unknown> ? Name : never
}[keyof F]
type Both<One, Other> = { [Name in keyof (One & Other)]: (One & Other)[Name] }

export type Of<F extends Field<unknown>> = F extends Field<infer Value> ? Value : never

export type Document<F extends Fields> = Both<
  { [Name in Exclude<keyof F, OptionalNames<F>>]: Of<F[Name]> },
  { [Name in OptionalNames<F>]?: Of<F[Name]> }
>

export const text: Field<string> = { type: String }
export const whole: Field<number> = { type: Number }
export const flag: Field<boolean> = { type: Boolean }
export const date: Field<Date> = { type: Date }

/** A text of a union type. Mongoose doesn't check it. */
export const oneOf = <Value extends string>(): Field<Value> => ({ type: String })

/** A value whose inner fields aren't declared, so Mongoose neither casts them nor adds defaults. */
export const anything = <Value>(): Field<Value> => ({ type: Object })

/** An object within a document. */
export const part = <F extends Fields>(fields: F): Part<F> => ({ type: definitionOf(fields), fields })

export const list = <Value>(item: Field<Value>): Field<Value[]> => ({
  ...(item as object),
  type: [item.type],
})

export const orNull = <Value>(field: Field<Value>): Field<Value | null> =>
  field.fields === undefined ? field : { ...field, options: { default: null } }

/** A value whose key may be missing. */
export const optional = <Value>(field: Field<Value>): Optional<Value> => ({
  ...field,
  options: { default: undefined },
  isOptional: true,
})

/** A value that no log, page, export or error may show. It's stored only hashed or encrypted. */
export const secret = <Value>(field: Field<Value>): Field<Value> => ({ ...field, isSecret: true })

/** Returns what Mongoose gets. A part that is always there becomes a nested path, without a default. */
export function definitionOf(fields: Fields): SchemaDefinition {
  const named = Object.entries(fields).map(([name, { type, fields: inner, options }]) => {
    const isNested = inner !== undefined && options === undefined && !Array.isArray(type)
    return [name, isNested ? type : { type, ...options }]
  })
  return { ...('_id' in fields ? {} : { _id: false }), ...Object.fromEntries(named) }
}
