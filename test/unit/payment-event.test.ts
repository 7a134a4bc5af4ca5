import { eventBodySchemas } from '../../schemas/event-bodies.ts'
import type { EventName } from '../../schemas/events.ts'
import { sampleEventData } from '../../src/webhooks/endpoints/send-test.ts'
import { composeBody } from '../../src/webhooks/message.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'

type Body = { event: string; data: Record<string, unknown> }

function bodyOf(event: EventName): Body {
  const eventAt = new Date()
  const head = { _id: 'd'.repeat(32), event, eventAt, sandbox: true }
  return JSON.parse(composeBody(head, sampleEventData(event, eventAt)))
}

const without = <T extends object>(body: T, field: string): T =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)) as T
const all = Object.keys(eventBodySchemas) as EventName[]

describe("A webhook event's schema", () => {
  for (const event of all)
    it(`requires exactly the documented fields of ${event}`, () => {
      const body = bodyOf(event)
      const { data } = body
      expect(schemaErrorsOf(body)).to.deep.equal([])
      const wrong = [
        { ...body, another: null },
        { ...body, data: { ...data, another: null } },
        ...Object.keys(body).map((field) => without(body, field)),
        ...Object.keys(data).flatMap((field) => [
          { ...body, data: without(data, field) },
          { ...body, data: { ...data, [field]: -1 } },
        ]),
      ]
      for (const each of wrong) expect(schemaErrorsOf(each), JSON.stringify(each)).not.to.deep.equal([])
    })

  it('allows a payer commission of zero', () => {
    const body = bodyOf('payment.confirmed')
    const commission = { ...(body.data.commission as object), payer_ttc: 0 }
    expect(schemaErrorsOf({ ...body, data: { ...body.data, commission } })).to.deep.equal([])
  })

  it('rejects the data of a different event unless both have the same fields', () => {
    const taken = all.flatMap((event) =>
      all
        .filter((other) => schemaErrorsOf({ ...bodyOf(event), data: bodyOf(other).data }).length === 0)
        .map((other) => `${event} ${other}`),
    )
    const alike = ['payment.cancelled payment.expired', 'payment.expired payment.cancelled']
    expect(taken).to.have.members([...all.map((event) => `${event} ${event}`), ...alike])
  })
})
