import { Ajv2020 } from 'ajv/dist/2020.js'
import { eventBodySchemas } from '../../schemas/event-bodies.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { uri: true } })
const validators = new Map(
  Object.entries(eventBodySchemas).map(([event, schema]) => [event, ajv.compile(schema)]),
)

export function schemaErrorsOf(body: { event: string; data: object }): string[] {
  const validate = validators.get(body.event)
  if (validate === undefined) return [`${body.event} has no schema`]
  if (validate(body)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
