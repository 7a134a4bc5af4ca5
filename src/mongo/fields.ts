import type { SchemaDefinition } from 'mongoose'

export interface StoredField<Value> {
  type: unknown
  fields?: StoredFields
  /** Keeps Mongoose from replacing a missing value with an empty one. */
  options?: { default: null | undefined }
  isOptional?: boolean
  isSecret?: boolean
  /** Never set: it only carries the type. */
  value?: Value
}
export type StoredFields = Record<string, StoredField<unknown>>
type Optional<Value> = StoredField<Value> & { isOptional: true }

type OptionalNames<F extends StoredFields> = {
  [Name in keyof F]: F[Name] extends Optional<unknown> ? Name : never
}[keyof F]
type Both<One, Other> = { [Name in keyof (One & Other)]: (One & Other)[Name] }

export type ValueOfField<F extends StoredField<unknown>> = F extends StoredField<infer Value> ? Value : never

export type DocumentOf<F extends StoredFields> = Both<
  { [Name in Exclude<keyof F, OptionalNames<F>>]: ValueOfField<F[Name]> },
  { [Name in OptionalNames<F>]?: ValueOfField<F[Name]> }
>

export const text: StoredField<string> = { type: String }
export const whole: StoredField<number> = { type: Number }
export const flag: StoredField<boolean> = { type: Boolean }
export const date: StoredField<Date> = { type: Date }

/** Mongoose doesn't check that the text belongs to the union. */
export const oneOf = <Value extends string>(): StoredField<Value> => ({ type: String })

/** Mongoose neither casts the inner fields nor adds defaults. */
export const anything = <Value>(): StoredField<Value> => ({ type: Object })

export const part = <F extends StoredFields>(fields: F): StoredField<DocumentOf<F>> & { fields: F } => ({
  type: toMongooseFields(fields),
  fields,
})

export const list = <Value>(item: StoredField<Value>): StoredField<Value[]> => ({
  ...(item as object),
  type: [item.type],
})

export const orNull = <Value>(field: StoredField<Value>): StoredField<Value | null> =>
  field.fields === undefined ? field : { ...field, options: { default: null } }

export const optional = <Value>(field: StoredField<Value>): Optional<Value> => ({
  ...field,
  options: { default: undefined },
  isOptional: true,
})

/** Stored hashed or encrypted. No log, page, export or error may show it. */
export const secret = <Value>(field: StoredField<Value>): StoredField<Value> => ({ ...field, isSecret: true })

/** A subdocument that is always present becomes a nested path. */
export function toMongooseFields(fields: StoredFields): SchemaDefinition {
  const named = Object.entries(fields).map(([name, { type, fields: inner, options }]) => {
    const isNested = inner !== undefined && options === undefined && !Array.isArray(type)
    return [name, isNested ? type : { type, ...options }]
  })
  return { ...('_id' in fields ? {} : { _id: false }), ...Object.fromEntries(named) }
}
