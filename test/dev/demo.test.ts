import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { startEndpointServer } from '../../dev/demo/endpoint-server.ts'
import { newId } from '../../src/platform/ids.ts'
import { deliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { signedHeaders } from '../../src/webhooks/message.ts'
import { withOpened } from '../support/with.ts'

const secret = randomBytes(32).toString('hex')
const id = deliveryId(newId(), newId())
const body = JSON.stringify({ id, event: 'payment.created', data: { amount: 50_000 } })
const longAgo = new Date(Date.now() - 301_000)

describe("The demo's endpoint server", () => {
  const server = withOpened(startEndpointServer, ({ close }) => close(), 'test')
  beforeEach(() => server.useSecret(secret))

  const statusOf = async (text: string, headers: Record<string, string>): Promise<number> =>
    (await fetch(server.url, { method: 'POST', headers, body: text })).status
  const signed = (key: string, at: Date) =>
    signedHeaders('Service', [key], { _id: id, event: 'payment.created' }, body, at)

  it("accepts a delivery with the service's signature", async () => {
    expect(await statusOf(body, signed(secret, new Date()))).to.equal(200)
  })

  it('rejects a delivery with a changed body, a wrong secret, an old timestamp or no signature', async () => {
    expect(await statusOf(body.replace('50000', '1'), signed(secret, new Date()))).to.equal(401)
    expect(await statusOf(body, signed(randomBytes(32).toString('hex'), new Date()))).to.equal(401)
    expect(await statusOf(body, signed(secret, longAgo))).to.equal(401)
    expect(await statusOf(body, {})).to.equal(401)
  })

  it('reports a repeated delivery as handled only after an earlier response of 200', async () => {
    server.failNext('payment.created')
    const statuses: number[] = []
    for (let times = 0; times < 3; times++) statuses.push(await statusOf(body, signed(secret, new Date())))
    expect(statuses).to.deep.equal([500, 200, 200])
    expect(server.arrivals.map(({ handledBefore }) => handledBefore)).to.deep.equal([false, false, true])
  })
})
