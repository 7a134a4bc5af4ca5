import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { EventName } from '../../schemas/events.ts'
import { attempt, freshDelivery, openSecondProcess, subscribe } from '../support/actions.ts'
import { isSignedWith, type Received, withEndpointServer } from '../support/endpoint-server.ts'
import { asMerchant, withServiceAndMerchantPerTest } from '../support/service.ts'

const hour = 3_600_000
const events: EventName[] = ['payment.created']

describe('The rotation of a webhook secret', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServer()
  let made: Awaited<ReturnType<typeof subscribe>>
  let [id, first] = ['', '']
  beforeEach(async () => {
    made = await subscribe(service, merchant, endpointServer.url, events)
    ;({ id, secret: first } = made)
  })
  afterEach(() => service.clock.freeze(null))
  const rotate = (key?: string, as = merchant, at = service) =>
    at.http.post(`/api/v1/dev/webhooks/endpoints/${id}/rotate-secret`).set(as.write(key))
  const rotated = async (): Promise<string> => (await rotate().expect(200)).body.data.secret
  async function arrival(): Promise<Received> {
    const { _id } = await freshDelivery(service, merchant)
    await attempt(service.deps, _id)
    return endpointServer.received.find(({ json }) => json.id === _id) ?? expect.fail('nothing arrived')
  }
  const under = (secret: string, { headers, body }: Received) =>
    `sha256=${createHmac('sha256', secret)
      .update(`${String(headers['x-service-timestamp'])}.${body}`)
      .digest('hex')}`
  const signatures = (secrets: string[], arrived: Received) =>
    secrets.map((secret) => under(secret, arrived)).join(',')
  const previousOf = ({ headers }: Received) => headers['x-service-signature-previous']

  it('returns the new secret, which is stored encrypted and never shown again', async () => {
    const { status, body } = await rotate()
    expect(status).to.equal(200)
    const { secret, standardSecret, ...shown } = body.data
    expect(secret)
      .to.match(/^[\da-f]{64}$/)
      .and.not.equal(first)
    const list = await service.http.get('/api/v1/dev/webhooks').set(merchant.read())
    const [{ last24Hours: _figures, ...listed }] = list.body.data.items
    expect(listed).to.deep.equal(shown)
    expect(list.text).not.to.include('ecret')
    const kept = JSON.stringify([
      await service.deps.Endpoint.findById(id).lean(),
      await service.deps.StoredResponse.find().lean(),
    ])
    for (const each of [first, secret, standardSecret.slice(6)]) expect(kept).not.to.include(each)
  })

  it("takes effect immediately, while deliveries also carry the old secret's signature for 24 hours", async () => {
    const before = await arrival()
    expect([isSignedWith(first, before), previousOf(before)]).to.deep.equal([true, undefined])
    service.clock.freeze(new Date('2031-03-04T05:06:07Z'))
    const second = await rotated()
    for (const wait of [0, 24 * hour - 1]) {
      service.clock.freeze(new Date(Date.parse('2031-03-04T05:06:07Z') + wait))
      const during = await arrival()
      expect(isSignedWith(second, during)).to.equal(true)
      expect(previousOf(during)).to.equal(under(first, during))
    }
    service.clock.advance(1)
    const after = await arrival()
    expect([isSignedWith(second, after), previousOf(after)]).to.deep.equal([true, undefined])
  })

  it('produces signatures that the Standard Webhooks library verifies under the new and the old secret', async () => {
    const verify = (standardSecret: string, { headers, body }: Received, sent = body) =>
      new Webhook(standardSecret).verify(sent, headers as Record<string, string>)
    const before = await arrival()
    expect(verify(made.standardSecret, before)).to.deep.equal(before.json)
    const { body } = await rotate().expect(200)
    const during = await arrival()
    expect(during.headers['webhook-id']).to.equal(during.json.id)
    for (const each of [body.data.standardSecret, made.standardSecret]) {
      expect(verify(each, during)).to.deep.equal(during.json)
      const changed = during.body.replace('payment.created', 'payment.Created')
      expect(() => verify(each, during, changed)).to.throw('No matching signature')
    }
    expect(() => verify(body.data.standardSecret, before)).to.throw('No matching signature')
  })

  it('keeps up to five old secrets, newest first, for 24 hours each', async () => {
    const secrets = [first]
    service.clock.freeze(new Date('2031-05-06T00:00:00Z'))
    for (let times = 0; times < 7; times += 1) {
      secrets.unshift(await rotated())
      service.clock.advance(hour)
    }
    const [current = '', ...old] = secrets
    const seven = await arrival()
    expect(isSignedWith(current, seven)).to.equal(true)
    expect(previousOf(seven)).to.equal(signatures(old.slice(0, 5), seven))
    service.clock.freeze(new Date('2031-05-07T04:30:00Z'))
    const later = await arrival()
    expect(previousOf(later)).to.equal(signatures(old.slice(0, 2), later))
  })

  it('happens once per idempotency key and keeps every secret that concurrent rotations replaced', async () => {
    const same = await Promise.all(Array.from({ length: 10 }, () => rotate('the-same')))
    expect(new Set(same.map(({ status, text }) => `${status} ${text}`))).to.have.property('size', 1)
    const second = same[0]?.body.data.secret
    const [one, two] = await Promise.all([rotated(), rotated()])
    const arrived = await arrival()
    const current = isSignedWith(one, arrived) ? [one, two] : [two, one]
    expect(isSignedWith(current[0] ?? '', arrived)).to.equal(true)
    expect(previousOf(arrived)).to.equal(signatures([current[1] ?? '', second, first], arrived))
  })

  it('works even if the SECRET_KEY that encrypted the old secret is lost', async () => {
    const beside = await openSecondProcess(service, { SECRET_KEY: Buffer.alloc(32, 7).toString('base64') })
    beside.allowHost(endpointServer.host)
    const { _id } = await freshDelivery(service, merchant)
    expect(await attempt(beside.deps, _id)).to.include({ outcome: 'lost', attempts: 0 })
    expect(endpointServer.received.filter(({ json }) => json.id === _id)).to.deep.equal([])
    const again = asMerchant(merchant.businessId, await beside.key(merchant.businessId))
    const { body } = await rotate('anew', again, beside).expect(200)
    beside.clock.advance(11_000)
    await attempt(beside.deps, _id)
    const [arrived] = endpointServer.received.filter(({ json }) => json.id === _id)
    if (arrived === undefined) return expect.fail('nothing arrived')
    expect([isSignedWith(body.data.secret, arrived), previousOf(arrived)]).to.deep.equal([true, undefined])
    await beside.close()
  })
})
