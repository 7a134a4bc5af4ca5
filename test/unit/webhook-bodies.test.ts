import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventScopes } from '../../schemas/events.ts'
import { paymentEventFormat } from '../../src/intents/present.ts'
import { orderEventFormat } from '../../src/store/orders/order.ts'
import { endpointEventFormat, webhookBody } from '../../src/webhooks/message.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'
import { _id, type BodyCase, eventAt, format1 } from '../vectors/webhook-bodies/cases.ts'

const formats: Record<number, readonly BodyCase[]> = { 1: format1 }
const folderOf = (format: number): string =>
  join(import.meta.dirname, '../vectors/webhook-bodies', `format-${format}`)
const composed = (format: number, { event, facts, source, sandbox = true }: BodyCase): string =>
  webhookBody({ _id, event, eventAt, sandbox, format, facts }, source)

describe("A webhook's body", () => {
  for (const [format, cases] of Object.entries(formats)) {
    const folder = folderOf(Number(format))
    for (const one of cases)
      it(`matches its golden file ${one.name}.body byte for byte in format ${format}`, () => {
        const body = composed(Number(format), one)
        const golden = readFileSync(join(folder, `${one.name}.body`))
        expect(
          Buffer.from(body).equals(golden),
          `A format is never changed: a retry would have other bytes than the attempt before. Add the next format, with its own golden files.\n${body}\n${golden.toString()}`,
        ).to.equal(true)
        expect(schemaErrorsOf(JSON.parse(body))).to.deep.equal([])
      })

    it(`has one golden file per event in format ${format} and a test case per golden file`, () => {
      const names = cases.map(({ name }) => `${name}.body`)
      expect(readdirSync(folder)).to.have.members(names)
      expect(new Set(cases.map(({ event }) => event))).to.have.all.keys(...Object.keys(eventScopes))
    })
  }

  it('has golden files for every format in which new events are written', () => {
    const current = [paymentEventFormat, orderEventFormat, endpointEventFormat].map(String)
    expect(formats).to.include.keys(...current)
  })

  it("can't be written in an unknown format", () => {
    for (const one of format1) expect(() => composed(2, one)).to.throw('format 2')
  })
})
