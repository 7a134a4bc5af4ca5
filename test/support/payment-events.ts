import { Ajv2020 } from 'ajv/dist/2020.js'
import { orderEvents } from '../../schemas/order-event.ts'
import { paymentEvents } from '../../schemas/payment-event.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const schemas = { ...paymentEvents, ...orderEvents }
const validators = new Map(Object.entries(schemas).map(([event, schema]) => [event, ajv.compile(schema)]))

/** What the schema of its event finds wrong with the body of a webhook. */
export function schemaErrorsOf(body: { event: string; data: object }): string[] {
  const judge = validators.get(body.event)
  if (judge === undefined) return [`${body.event} has no schema`]
  if (judge(body)) return []
  return (judge.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
