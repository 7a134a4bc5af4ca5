import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

/** What a schema accepts, reduced to the fields that it names, because validation removes all others. */
export type ValueOf<Schema extends JSONSchema> = Known<FromSchema<Schema>>

type Known<Value> = Value extends readonly (infer Item)[]
  ? Known<Item>[]
  : Value extends object
    ? { [Field in keyof Value as string extends Field ? NamedBy<Value, Field> : Field]: Known<Value[Field]> }
    : Value
/** A field of any name is kept if the schema says what its value must be. */
type NamedBy<Value, Field extends keyof Value> = unknown extends Value[Field] ? never : Field
