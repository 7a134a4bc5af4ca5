import { expect } from 'chai'
import { entries, fileOf, period } from '../../src/http/routes/ledger-exports-example.ts'
import { type LedgerEntry, noTotals } from '../../src/ledger/entry.ts'
import { nativeCollection } from '../../src/mongo/collection.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { attempt, deliveriesOf, relay } from '../support/actions.ts'
import { description, schemaErrors } from '../support/check-responses.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { createExampleMatcher, type ExampleMatcher } from '../support/match-examples.ts'
import { type Merchant, withService } from '../support/service.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

interface Content {
  [type: string]: { example: unknown }
}
interface Operation {
  operationId: string
  parameters: { in?: string; name?: string; example?: string | number }[]
  requestBody?: { content: Content }
  responses: Record<string, { content: Content }>
}

const operations = Object.entries(description.paths as Record<string, Record<Method, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, ...operation })),
)

describe('The unchanged examples in the OpenAPI description', () => {
  const service = withService(() => ({ PAY_URL: 'https://pay.example' }))
  let merchant: Merchant
  const endpointServer = withEndpointServer()
  let cast: ExampleMatcher
  const sent = new Set<string>()
  before(async () => {
    merchant = await service.merchant()
    // The examples show the statements of a month on its first day.
    service.clock.freeze(new Date('2026-11-01T07:40:02.331Z'))
    service.allowHost(endpointServer.host)
    cast = createExampleMatcher([['https://shop.example', `http://${endpointServer.host}`]])
    // The examples show this response of the endpoint.
    endpointServer.respondWith((res) => void res.writeHead(500).end('Internal Server Error'))
  })

  async function send(...ids: string[]): Promise<void> {
    for (const id of ids) await sendExample(id)
  }

  async function sendExample(id: string): Promise<void> {
    const operation = operations.find(({ operationId }) => operationId === id)
    if (operation === undefined) throw new Error(`there is no operation ${id}`)
    const { method, path, parameters, requestBody, responses } = operation
    const exampleOf = (name: string) => String(parameters.find((each) => each.name === name)?.example)
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)))
    const queried = parameters.filter((each) => each.in === 'query' && each.example !== undefined)
    const query = queried.map(({ name, example }) => [name, String(example)] as [string, string])
    const address = cast.withRealIds(`/api/v1${filled}?${new URLSearchParams(query).toString()}`)
    const request = service.http[method](address).set(method === 'get' ? merchant.read() : merchant.write())
    const body = requestBody?.content['application/json']?.example
    const response = await (body === undefined
      ? request
      : request.set('Content-Type', 'application/json').send(cast.withRealIds(JSON.stringify(body))))

    // The example of a dry run, whose status is 200, is the same.
    const [status = '', { content } = { content: {} }] =
      Object.entries(responses).findLast(([each]) => each.startsWith('2')) ?? []
    expect(String(response.status), `${id}: ${response.text}`).to.equal(status)
    const json = content['application/json']
    if (json === undefined) expect(response.text).to.equal(content['text/csv']?.example)
    else {
      cast.expectMatch(response.body, json.example, id)
      const csv = content['text/csv']?.example
      const asCsv = { ...merchant.read(), accept: 'text/csv' }
      if (csv !== undefined) expect((await service.http.get(address).set(asCsv)).text).to.equal(csv)
    }
    sent.add(id)
  }

  it('get the documented responses for webhook endpoints', async () => {
    await send('createWebhookEndpoint', 'listWebhookEndpoints', 'rotateWebhookSecret')
    await send('updateWebhookEndpoint', 'testWebhookEndpoint')
    await send('replayWebhookEvents', 'listWebhookReplays', 'getWebhookReplay', 'cancelWebhookReplay')
  })

  it('get the documented responses for a payment and its delivery to a failing endpoint', async () => {
    await send('createIntent', 'getIntent', 'listIntents')
    await relay(service, merchant)
    const [delivery] = await deliveriesOf(service, merchant)
    await attempt(service.deps, String(delivery?._id))
    await send('listEvents', 'getEvent', 'readEventFeed')
    await send('listWebhookDeliveries', 'getWebhookDelivery', 'retryWebhookDelivery')
    await attempt(service.deps, String(delivery?._id))
    await send('retryWebhookDeliveries', 'deleteWebhookEndpoint')
    await send('simulatePayment', 'refundIntent')
  })

  it('get the documented responses for the balance after that payment and refund', async () => {
    await relay(service, merchant)
    await send('getBalance', 'listBalanceEntries', 'listRefunds', 'listStatements', 'getStatement')
  })

  it('cause webhooks whose bodies match the documented schemas', () => {
    const body = ['post', 'requestBody', 'content', 'application/json', 'schema']
    const received = endpointServer.received.map(({ json }) => json.event)
    expect(received).to.deep.equal(['payment.confirmed', 'payment.created', 'payment.created'])
    for (const { json } of endpointServer.received)
      expect(schemaErrors(json, 'webhooks', json.event, ...body), json.event).to.equal(null)
  })

  it('get the documented responses for a cancelled intent', async () => {
    cast.reset()
    // The refunded intent still has the merchantReference of the example.
    merchant = await service.merchant()
    await send('createIntent', 'cancelIntent')
  })

  it('get the documented responses for a product and an order for it', async () => {
    await send('createProduct', 'listProducts', 'getProduct', 'updateProduct', 'changeStock')
    await send('simulateOrder', 'listOrders', 'getOrder', 'deleteProduct')
  })

  it('get the documented responses for product files', () => send('importProducts', 'exportProducts'))

  it('get the documented responses for files of the ledger', async () => {
    service.clock.freeze(new Date('2026-12-01T00:00:00Z'))
    merchant = await service.merchant()
    for (const invariant of ['ledger chain', 'ledger entries'] as const) breaks(service, invariant)
    const booked = entries.map((entry, index): LedgerEntry => {
      const positions = { position: index + 1, typePosition: 1 + Number(entry === entries[3]) }
      const byType = { payment: 1, refund: 1, fee: 2, payout: 0 }
      const { totals, balance } = { totals: noTotals(), balance: entry.after.balance }
      const after = { ...totals, balance, opening: 0, entries: entries.length, byType }
      return { ...entry, ...positions, after, businessId: merchant.businessId }
    })
    await nativeCollection(service.deps.LedgerEntry).insertMany(booked)
    await send('exportPayments', 'exportRefunds', 'exportLedgerEntries')
    const path = '/api/v1/dev/exports/payments'
    const lines = await service.http
      .get(path)
      .query({ ...period, format: 'jsonl' })
      .set(merchant.read())
      .buffer(true)
    expect(lines.text).to.equal(fileOf('payments', 'jsonl'))
  })

  it('cover every operation', () => {
    expect([...sent]).to.have.members(operations.map(({ operationId }) => operationId))
  })
})
