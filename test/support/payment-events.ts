import { Ajv2020 } from 'ajv/dist/2020.js'
import { paymentEvents } from '../../schemas/payment-event.ts'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
const judges = new Map(Object.entries(paymentEvents).map(([event, schema]) => [event, ajv.compile(schema)]))

/** What the schema of its event finds wrong with the body of a webhook. */
export function faultsOf(body: { event: string; data: object }): string[] {
  const judge = judges.get(body.event)
  if (judge === undefined) return [`${body.event} is no payment event`]
  if (judge(body)) return []
  return (judge.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
