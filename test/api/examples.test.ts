import { type EventName, eventScopes } from '../../schemas/events.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { expireDueIntents } from '../../src/intents/expire.ts'
import { pollOutboxes } from '../../src/relay/poll.ts'
import { endpointIdOf, makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { maskUrl } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { attempt, deliveriesOf, relay } from '../support/actions.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import {
  compare,
  createDisguise,
  type Disguise,
  type Examples,
  isRecording,
  readExamples,
  saveExamples,
  signed,
} from '../support/recorded-examples.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'

const names = {
  operations: apiRoutes.map(({ operationId }) => operationId),
  events: Object.keys(eventScopes),
} satisfies Record<keyof Examples, string[]>

const shown = {
  business: '6b0149aca90c38bde3c47f5d',
  endpoint: '6b0149aca90c38bde3c47f5e',
  otherEndpoint: '6b0149aca90c38bde3c47f5f',
  secret: '84432cccd985fa567be32c6c93fa77de6c367a92a95fc52bcd275bc97f7745c3',
  newSecret: '0d5ac1ef37ac9b1a2a0bf9f5b1c1b2de0cf1ab1b9f3f5a86a1ad6a4ec3c3cf5d',
  replay: '6b014b3fa90c38bde3c47f91',
  intent: 'PI-KP7C69GYSJ3ZNMWQ',
  shortCode: 'UUEPNU',
  code: '005312',
  refund: 'RF-9QX4MZ2KHT7WDBRC',
  cursor: '1-5b0c3f9e',
  fingerprint: 'VnLsq2nj',
  product: '6920c1f4e9b0a7d25c41f803',
  variant: '6920c1f4e9b0a7d25c41f804',
  secondVariant: '6920c260e9b0a7d25c41f80a',
  order: '6920c2aae9b0a7d25c41f811',
  orderNumber: 'OR-7KX2MHQ4W9TBC3RA',
}
const shownEvent = (event: string) =>
  `6b0149aca90c38bde3c47f${(0x62 + names.events.indexOf(event)).toString(16)}`

const eventId = shownEvent('payment.created')
const shopUrl = 'https://shop.example/hooks'

interface Request {
  at: string
  after?: readonly string[]
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  shows?: Record<string, string>
}

const valueAt = (data: unknown, path: string): string =>
  String(path.split('.').reduce((part, step) => (part as Record<string, unknown>)[step], data))
const secretFields = (secret: string) => ({
  secret,
  standardSecret: `whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
})

const ofIntent = { after: ['createIntent'], params: { referenceNumber: shown.intent } }
const afterRefund = { at: '10:52:11.070', after: ['refundIntent'] }
const november = { from: '2026-11-01', to: '2026-11-30' }
const ofEndpoint = { at: '07:31:40.201', after: ['createWebhookEndpoint'], params: { id: shown.endpoint } }
const afterAttempt = { at: '07:34:12.530', after: ['attempt'] }
const ofDelivery = { ...afterAttempt, params: { id: makeDeliveryId(eventId, shown.endpoint) } }
const ofReplay = {
  at: '08:10:12.318',
  after: ['replayWebhookEvents'],
  params: { id: shown.endpoint, replayId: shown.replay },
}
const afterEvent = { at: '07:34:12.530', after: ['createIntent', 'relay'] }
const ofProduct = { at: '19:48:48.560', after: ['createProduct'], params: { id: shown.product } }
const afterOrder = { at: '19:50:41.006', after: ['simulateOrder'] }
const requests: Record<string, Request> = {
  createIntent: {
    at: '07:33:59.612',
    body: { amount: 50_000, label: 'Order 1042', metadata: { order: '1042' } },
    shows: { referenceNumber: shown.intent, shortCode: shown.shortCode, code: shown.code },
  },
  listIntents: { at: '07:35:10.330', after: ['createIntent'], query: { status: 'PENDING', limit: '50' } },
  getIntent: { at: '07:35:10.330', ...ofIntent },
  cancelIntent: { at: '07:41:20.118', ...ofIntent },
  simulatePayment: { at: '07:40:02.331', ...ofIntent, body: { payerPhone: '22000045', outcome: 'success' } },
  refundIntent: {
    at: '09:12:44.907',
    after: ['simulatePayment', 'relay'],
    params: ofIntent.params,
    body: { amount: 20_000, reason: 'One item came back' },
    shows: { 'refund.id': shown.refund },
  },

  getBalance: afterRefund,
  listBalanceEntries: { ...afterRefund, query: { type: 'payment', limit: '50' } },
  listRefunds: afterRefund,
  listStatements: { ...afterRefund, query: { month: '2026-11' } },
  getStatement: { ...afterRefund, params: { day: '2026-11-01' } },
  exportPayments: { ...afterRefund, query: november },
  exportRefunds: { ...afterRefund, query: november },
  exportLedgerEntries: { ...afterRefund, query: november },

  createWebhookEndpoint: {
    at: '07:30:08.012',
    body: { url: shopUrl, events: ['payment.created', 'payment.confirmed'] },
    shows: { id: shown.endpoint, ...secretFields(shown.secret) },
  },
  listWebhookEndpoints: { at: '07:31:40.201', after: ['createWebhookEndpoint'] },
  getWebhookEndpoint: ofEndpoint,
  updateWebhookEndpoint: {
    ...ofEndpoint,
    body: { url: `${shopUrl}/v2`, headers: { 'X-Api-Key': 'q8Zt5sJm' }, active: true },
  },
  deleteWebhookEndpoint: ofEndpoint,
  testWebhookEndpoint: {
    ...ofEndpoint,
    body: { event: 'payment.confirmed' },
    shows: { deliveryId: makeDeliveryId(shownEvent('payment.confirmed'), shown.endpoint) },
  },
  rotateWebhookSecret: { ...ofEndpoint, shows: secretFields(shown.newSecret) },

  listWebhookDeliveries: { ...afterAttempt, query: { status: 'RETRYING' } },
  getWebhookDelivery: ofDelivery,
  retryWebhookDelivery: ofDelivery,
  retryWebhookDeliveries: {
    ...afterAttempt,
    body: { endpointId: shown.endpoint, status: ['DEAD', 'RETRYING'], responseStatus: '5xx' },
  },
  replayWebhookEvents: {
    at: '08:10:11.702',
    after: ['attempt'],
    params: ofEndpoint.params,
    body: { from: '2026-11-01T07:00:00Z', to: '2026-11-01T08:00:00Z', onlyUndelivered: true },
    shows: { id: shown.replay },
  },
  listWebhookReplays: { ...ofReplay, params: ofEndpoint.params },
  getWebhookReplay: ofReplay,
  cancelWebhookReplay: ofReplay,

  listEvents: { ...afterEvent, query: { type: 'payment.created' } },
  readEventFeed: { ...afterEvent, shows: { next: shown.cursor } },
  getEvent: { ...afterEvent, params: { id: eventId } },

  importProducts: {
    at: '19:46:31.870',
    body: {
      csv:
        'handle,name,description,variant_label,sku,price,stock,active\n' +
        'gunpowder,Gunpowder,"De Chine, en vrac",250 g,GP-250,15000,40,true\ngunpowder,,,1 kg,GP-1000,52000,10,\n',
    },
  },
  exportProducts: { at: '19:46:40.002', after: ['importProducts'] },
  createProduct: {
    at: '19:47:00.114',
    body: { name: 'Thé vert', variants: [{ label: '250 g', sku: 'TV-250', price: 15_000, stock: 40 }] },
    shows: { _id: shown.product, 'variants.0._id': shown.variant },
  },
  listProducts: { at: '19:47:20.871', after: ['createProduct'], query: { sku: 'TV-250' } },
  getProduct: ofProduct,
  updateProduct: {
    ...ofProduct,
    body: {
      variants: [
        { label: '250 g', price: 14_000 },
        { label: '1 kg', price: 52_000, stock: 10 },
      ],
    },
    shows: { 'variants.1._id': shown.secondVariant },
  },
  deleteProduct: ofProduct,
  changeStock: { ...ofProduct, params: { ...ofProduct.params, vid: shown.variant }, body: { delta: -2 } },

  simulateOrder: {
    at: '19:50:02.640',
    after: ['createProduct'],
    body: {
      items: [{ productId: shown.product, variantLabel: '250 g', quantity: 2 }],
      customer: { name: 'Aïcha' },
    },
    shows: { _id: shown.order, number: shown.orderNumber },
  },
  listOrders: afterOrder,
  getOrder: { ...afterOrder, params: { id: shown.order } },
}

const causes: Record<EventName, readonly string[]> = {
  'payment.created': ['createIntent'],
  'payment.confirmed': ['simulatePayment'],
  'payment.cancelled': ['cancelIntent'],
  'payment.expired': ['createIntent', 'expire'],
  'payment.refunded': ['refundIntent'],
  'payment.failed': ['createIntent', 'fail'],
  'order.new': ['simulateOrder'],
  'endpoint.failing': ['attempt', 'keepFailing', 'reportFailing'],
}

const hourMs = 3_600_000

describe('An example in the OpenAPI document', () => {
  const { service, merchant } = withServiceAndMerchantPerTest({ PAY_URL: 'https://pay.example' })
  const server = withEndpointServerPerTest()
  let disguise: Disguise
  let secret: string
  let done: Set<string>
  beforeEach(() => {
    done = new Set()
    disguise = createDisguise()
    disguise.learn(`http://${server.host}`, 'https://shop.example')
    disguise.learn(merchant.businessId, shown.business)
    service.allowHost(server.host)
    server.respondWith((res) => void res.writeHead(500).end('Internal Server Error'))
  })

  after(() => saveExamples(names))

  for (const id of names.operations) it(`matches what ${id} returns`, () => expectExample(id))

  for (const event of names.events)
    it(`shows a webhook for ${event} whose signatures are valid`, () => expectWebhook(event as EventName))

  const itUnlessRecording = isRecording ? it.skip : it
  itUnlessRecording('belongs to an existing operation or event', () => {
    const examples = readExamples()
    expect(Object.keys(examples.operations)).to.deep.equal(names.operations)
    expect(Object.keys(examples.events)).to.deep.equal(names.events)
  })

  const routeOf = (id: string) =>
    apiRoutes.find(({ operationId }) => operationId === id) ?? expect.fail(`no operation ${id}`)

  async function expectExample(id: string): Promise<void> {
    const { after = [], params, query, body } = requests[id] ?? expect.fail(`${id} has no example request`)
    const route = routeOf(id)
    await doFirst(after)
    const response = await send(id)
    const csv = 'toCsv' in route ? await send(id, { accept: 'text/csv' }) : undefined
    const lines = 'lines' in route ? await send(id, { query: { ...query, format: 'jsonl' } }) : null
    const received = { response: response.body.data ?? response.text, csv: csv?.text, lines: lines?.text }
    compare('operations', id, { params, query, body, ...disguise.hide(received) })
  }

  async function expectWebhook(event: EventName): Promise<void> {
    if (event !== 'endpoint.failing') await subscribe(event)
    await doFirst(causes[event])
    await steps.relay?.()
    await attemptAll(event)
    const received = server.received.find(({ json }) => json.event === event) ?? expect.fail(`no ${event}`)
    const unsignedNames =
      'x-service-timestamp x-service-event x-service-event-id webhook-id webhook-timestamp'
    const unsigned = Object.fromEntries(
      unsignedNames.split(' ').map((name) => [name, String(received.headers[name])]),
    )
    const webhook = { headers: unsigned, body: received.json }
    expect(received.headers).to.include(signed(webhook, secret).headers)
    compare('events', event, signed(disguise.hide(webhook), shown.secret))
  }

  async function subscribe(event: EventName, at = '07:30:08.012'): Promise<string> {
    const { body } = await send('createWebhookEndpoint', { at, body: { url: shopUrl, events: [event] } })
    secret = body.data.secret
    return body.data.id
  }
  type Change = Partial<Request> & { accept?: string }
  async function send(id: string, { accept = 'application/json', ...changes }: Change = {}) {
    const { method, path } = routeOf(id)
    const { at, params = {}, query = {}, body } = { ...requests[id], ...changes } as Request
    service.clock.freeze(new Date(`2026-11-01T${at}Z`))
    const url = path.replaceAll(/:(\w+)/g, (_, name: string) => disguise.reveal(params[name] ?? ''))
    const request = service.http[method](`/api/v1${url}`)
      .query(query)
      .set({ ...(method === 'get' ? merchant.read() : merchant.write()), accept })
    const sending = body === undefined ? request.buffer(true) : request.send(disguise.reveal(body) as object)
    const response = await sending
    expect(response.status, `${id}: ${response.text}`).to.be.within(200, 201)
    for (const [field, value] of Object.entries(requests[id]?.shows ?? {}))
      disguise.learn(valueAt(response.body.data, field), value)
    return response
  }
  const steps: Record<string, () => Promise<unknown>> = {
    async relay() {
      service.clock.advance(790)
      await relay(service, merchant)
      await learnStored()
    },
    async attempt() {
      await doFirst(['createWebhookEndpoint', 'createIntent', 'relay'])
      await attemptAll('payment.created')
    },
    async keepFailing() {
      service.clock.advance(hourMs)
      await attemptAll('payment.created')
      await service.deps.healthNotes.close()
    },
    async reportFailing() {
      disguise.learn(await subscribe('endpoint.failing', '08:40:00.000'), shown.otherEndpoint)
      service.clock.advance(24 * hourMs)
      await reportFailures(service.deps)
      service.clock.advance(2_000)
      await pollOutboxes(service.deps)
      await learnStored()
      disguise.learn(maskUrl(service.deps, disguise.reveal(shopUrl)).slice(-8), shown.fingerprint)
    },
    async expire() {
      service.clock.advance(25 * hourMs)
      await expireDueIntents(service.deps)
    },
    async fail() {
      service.clock.advance(hourMs)
      const path = `/api/v1/dev/intents/${disguise.reveal(shown.intent)}/simulate-payment`
      await service.http.post(path).set(merchant.write()).send({ outcome: 'technical_error' }).expect(402)
    },
  }

  async function doFirst(before: readonly string[]): Promise<void> {
    for (const name of before) {
      if (done.has(name)) continue
      done.add(name)
      await doFirst(requests[name]?.after ?? [])
      await (steps[name]?.() ?? send(name))
    }
  }

  async function attemptAll(event: EventName): Promise<void> {
    service.clock.advance(591)
    for (const delivery of (await deliveriesOf(service, merchant)).filter((each) => each.event === event))
      await attempt(service.deps, delivery._id)
  }

  async function learnStored(): Promise<void> {
    const { businessId } = merchant
    for (const { _id, event } of await service.deps.LoggedEvent.find({ businessId }).lean())
      disguise.learn(_id, shownEvent(event))
    for (const { _id, event } of await deliveriesOf(service, merchant))
      disguise.learn(_id, makeDeliveryId(shownEvent(event), disguise.hide(endpointIdOf(_id))))
  }
})
