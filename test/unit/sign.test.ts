import { createHmac } from 'node:crypto'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { headersForEndpoint, signedHeaders, unsignedHeaders } from '../../src/webhooks/message.ts'

const secretOf = (byte: string) => byte.repeat(32)
const [current, previous, older] = [secretOf('a1'), secretOf('b2'), secretOf('c3')]
const event = '0123456789abcdef01234567'
const delivery = { _id: makeDeliveryId(event, 'f'.repeat(24)), event: 'payment.created' } as const
const at = new Date('2026-11-26T12:00:00.999Z')
const timestamp = '1795694400'
const body = '{"amount":500,"label":"نص"}'
const signatureBy = (secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
const unsigned = {
  'Content-Type': 'application/json',
  'X-Service-Timestamp': timestamp,
  'X-Service-Event': 'payment.created',
  'X-Service-Event-Id': event,
  'webhook-id': delivery._id,
  'webhook-timestamp': timestamp,
}

describe("A webhook's headers", () => {
  it('are the same whenever they are shown without signatures', () =>
    expect(unsignedHeaders('Service', delivery, at)).to.deep.equal(unsigned))

  it("contain a signature of the timestamp and body, keyed with the secret's text (SPEC 6.3)", () => {
    const { 'webhook-signature': _, ...rest } = signedHeaders('Service', [current], delivery, body, at)
    expect(rest).to.deep.equal({ ...unsigned, 'X-Service-Signature': signatureBy(current) })
  })

  it('contain a signature for each replaced secret too', () => {
    const headers = signedHeaders('Service', [current, previous, older], delivery, body, at)
    expect(headers['X-Service-Signature']).to.equal(signatureBy(current))
    expect(headers['X-Service-Signature-Previous']).to.equal(`${signatureBy(previous)},${signatureBy(older)}`)
    const standard = (headers['webhook-signature'] ?? '').split(' ')
    const base64By = (secret: string): string =>
      `v1,${createHmac('sha256', Buffer.from(secret, 'hex')).update(`${delivery._id}.${timestamp}.${body}`).digest('base64')}`
    expect(standard).to.deep.equal([current, previous, older].map(base64By))
  })

  it("are signed with the endpoint's current secrets, which are decrypted once per endpoint", () => {
    const decrypted: string[] = []
    const secrets = { decrypt: (text: string) => (decrypted.push(text), text.slice(1)) }
    type Deps = Parameters<typeof headersForEndpoint>[0]
    const deps = { config: { webhookHeaderBrand: 'Brand' }, secrets } as unknown as Deps
    const ended = { secret: `!${older}`, validUntil: at }
    const valid = { secret: `!${previous}`, validUntil: new Date(at.getTime() + 1) }
    const endpoint = { _id: 'e', secret: `!${current}`, previousSecrets: [valid, ended] }
    const expected = signedHeaders('Brand', [current, previous], delivery, body, at)
    for (let time = 0; time < 2; time += 1)
      expect(headersForEndpoint(deps, endpoint, delivery, body, at)).to.deep.equal(expected)
    expect(decrypted).to.have.lengthOf(2)
    headersForEndpoint(deps, { ...endpoint }, delivery, body, at)
    expect(decrypted).to.have.lengthOf(4)
  })
})
