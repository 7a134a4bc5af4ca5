import * as actions from '../support/actions.ts'
import { deadDelivery, makeAllAttempts, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { readable, withStaff } from './staff.ts'

/** Markup, quotes, and a character that reverses the text direction. */
const hostile = `<script>alert(1)</script>"' onload=x \u202Egnp.exe`

describe('The staff page for a payment or delivery', () => {
  const { service, merchant } = withServiceAndMerchant(shortRetryDelays)
  const endpointServer = withEndpointServer()
  const staff = withStaff(service, 'support')
  before(() => actions.subscribe(service, merchant, endpointServer.url, ['payment.created']))
  beforeEach(() => endpointServer.respondWith((res) => void res.writeHead(500).end()))
  afterEach(() => service.clock.freeze(null))

  const paymentPage = (referenceNumber: string) => staff.read(`/admin/payments/${referenceNumber}`)
  const shown = (at: Date | null | undefined) => `${at?.toISOString().slice(0, 19).replace('T', ' ')} UTC`

  it("summarises what happened, whatever the delivery's status", async () => {
    service.clock.freeze(new Date(Math.ceil(Date.now() / 1000) * 1000))
    const delivery = await actions.freshDelivery(service, merchant)
    const webhook = /Webhooks payment\.created to \S+ (.*?) (?:Re-queue:|Timeline)/
    const sentence = async () => webhook.exec(await paymentPage(delivery.referenceNumber))?.[1]
    expect(await sentence()).to.equal('PENDING No attempt yet. The first attempt is due now.')
    await actions.attempt(service.deps, delivery._id)
    const { nextAttemptAt, attemptLog } = await actions.storedDelivery(service, delivery)
    const tried = `The last attempt, at ${shown(attemptLog[0]?.at)}, failed: status 500.`
    expect(await sentence()).to.equal(`RETRYING ${tried} The next attempt is at ${shown(nextAttemptAt)}.`)
    service.clock.advance(1000)
    expect(await sentence()).to.equal(`RETRYING ${tried} The next attempt is due now.`)
    endpointServer.respondWith((res) => void res.socket?.destroy())
    const { attemptLog: all } = await makeAllAttempts(service, delivery)
    const last = `The last attempt, at ${shown(all.at(-1)?.at)}, failed: closed (the connection was closed before the response was complete).`
    const end = 'That was attempt 8. No further attempts follow unless you re-queue the delivery.'
    expect(await sentence()).to.equal(`DEAD ${last} ${end}`)
    endpointServer.respondWith((res) => void res.writeHead(204).end())
    await staff.act(`/admin/deliveries/${delivery._id}/requeue`)
    const nextAt = new Date(service.clock.now().getTime() + 1000)
    await service.deps.Delivery.updateOne({ _id: delivery._id }, { leaseToken: 't', nextAttemptAt: nextAt })
    expect(await sentence()).to.equal('RETRYING An attempt is in progress now.')
    service.clock.advance(1000)
    await actions.attempt(service.deps, delivery._id)
    const at = shown((await actions.storedDelivery(service, delivery)).deliveredAt)
    expect(await sentence()).to.equal(`DELIVERED Delivered at ${at}. The endpoint responded with status 204.`)
  })

  it('lists events that are not yet relayed', async () => {
    const { referenceNumber } = await actions.createIntent(service, merchant)
    const pending = 'Webhooks payment.created happened at '
    expect(await paymentPage(referenceNumber))
      .to.include(pending)
      .and.match(/UTC\. It has not been sent to the endpoints yet\. Timeline/)
  })

  it('shows deliveries that are created while the page is being built', async () => {
    const { referenceNumber } = await actions.createIntent(service, merchant)
    const { Intent } = service.deps.lists.models
    const findOne = Intent.findOne.bind(Intent)
    Intent.findOne = ((...conditions: Parameters<typeof findOne>) => ({
      lean: () => actions.relay(service, merchant).then(() => findOne(...conditions).lean()),
    })) as unknown as typeof Intent.findOne
    const text = await paymentPage(referenceNumber).finally(() => (Intent.findOne = findOne))
    expect(text).to.match(/Webhooks payment\.created to \S+ PENDING No attempt yet/)
    expect(text).not.to.include('No active endpoint')
  })

  it('shows status changes, attempts and manual re-queues in chronological order', async () => {
    const { _id, referenceNumber, url } = await deadDelivery(service, merchant)
    await staff.act(`/admin/deliveries/${_id}/requeue`)
    await actions.attempt(service.deps, _id)
    await actions.cancelIntent(service, merchant, referenceNumber)
    const [, timeline = ''] = (await paymentPage(referenceNumber)).split('Timeline ')
    const entries = timeline.split(/ ?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC /).slice(1)
    const name = `payment.created to ${new URL(url).host}:`
    expect(entries.map((line) => line.replace(/ after .*/, ''))).to.deep.equal([
      'Created by the merchant',
      `${name} delivery created`,
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${name} attempt ${number}, status 500`),
      `${name} re-queued by support staff ${staff.name}`,
      `${name} attempt 9, status 500`,
      `${name} DEAD, no further attempts follow`,
      'CANCELLED: cancelled by the merchant',
      'payment.cancelled happened; not sent to the endpoints yet ',
    ])
    const [, attempts = ''] = (await staff.read(`/admin/deliveries/${_id}`)).split('Attempts ')
    const numbers = [...attempts.matchAll(/(\d) \S+ \S+ UTC \d+ ms status 500/g)].map(([, number]) => number)
    expect(numbers.join('')).to.equal('987654321')
    expect(attempts).to.include(`webhook-id: ${_id}`).and.not.include('sha256')
    expect(attempts).to.include(`re-queued by support staff ${staff.name}`)
  })

  it("shows the amount, environment and merchant of any business's payment", async () => {
    const other = await service.merchant({ mode: 'live' })
    await service.deps.Business.updateOne({ _id: other.businessId }, { name: 'Hanout' })
    const fixed = await actions.createIntent(service, other, { amount: 123_405 })
    const page = await paymentPage(fixed.referenceNumber)
    expect(page).to.match(/ live .* Hanout Amount 1,234\.05 MRU Status PENDING/)
    const open = await actions.createIntent(service, merchant, { amount: 5, amountType: 'OPEN' })
    expect(await paymentPage(open.referenceNumber)).to.match(/ sandbox .* Amount open: the customer chooses/)
  })

  it('escapes text from merchants and endpoints, and shows no secret, code, metadata or payload', async () => {
    const shop = await service.merchant()
    await service.deps.Business.updateOne({ _id: shop.businessId }, { name: hostile })
    const { id, secret } = await actions.subscribe(service, shop, `${endpointServer.url}?a='b'`, [
      'payment.created',
    ])
    endpointServer.respondWith((res) => void res.writeHead(500).end(hostile))
    const fields = { amount: 777, label: hostile, metadata: { phone: 'private-metadata' } }
    const { referenceNumber, code } = await actions.createIntent(service, shop, fields)
    await actions.relay(service, shop)
    const [delivery] = await service.deps.Delivery.find({ referenceNumber }).lean()
    const { _id = '' } = delivery ?? {}
    await makeAllAttempts(service, { _id })
    const escaped = `<bdi>&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39; onload&#61;x \u202Egnp.exe</bdi>`
    const pages = {
      [`/admin/payments/${referenceNumber}`]: 2,
      [`/admin/deliveries/${_id}`]: 9,
      [`/admin/endpoints/${id}`]: 1,
      [`/admin/businesses/${shop.businessId}`]: 1,
      '/admin/dead': 1,
      '/admin/search': 0,
    }
    for (const [path, times] of Object.entries(pages)) {
      const isSearch = path === '/admin/search'
      const { status, text } = await (isSearch ? staff.act(path, { q: `no ${hostile}` }) : staff.get(path))
      expect([status, text.split(escaped).length - 1], path).to.deep.equal([200, times])
      expect(text, path).not.to.match(/<script|<[^>]+ onload=|reference_number|private-metadata/)
      expect(text.includes(secret) || text.includes(`>${code}<`), path).to.equal(false)
    }
  })

  it('returns 404 if the reference or id is unknown', async () => {
    const id24 = 'b'.repeat(24)
    const ids = ['%00', id24, `${id24}-${'c'.repeat(24)}`, '__proto__', 'PI-NOTHERE', 'x', '$ne']
    for (const kind of ['payments', 'deliveries', 'endpoints', 'businesses', 'keys'])
      for (const id of kind === 'payments' ? ids : ids.slice(0, 4)) {
        const { status, text } = await staff.get(`/admin/${kind}/${id}`)
        expect([status, readable(text).includes('Not found')], `${kind}/${id}`).to.deep.equal([404, true])
      }
    for (const id of ids.slice(0, 4))
      for (const act of [`deliveries/${id}/requeue`, `endpoints/${id}/requeue-all`])
        expect((await staff.act(`/admin/${act}`)).status, act).to.equal(404)
  })
})
