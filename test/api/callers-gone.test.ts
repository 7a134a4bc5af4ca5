import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../src/app.ts'
import { createHttpServer } from '../../src/http/server/listen.ts'
import { timeouts } from '../../src/http/server/timeouts.ts'
import { withMerchant, withService } from '../support/service.ts'

const intents = '/api/v1/dev/intents'
const csv = 'handle,name,price,stock\ntea,Thé,500,3'
const bodies = [
  ['JSON', intents, 'application/json', '{"amount":500}', 201],
  ['a file', '/api/v1/dev/store/products/import-csv', 'text/csv', csv, 200],
] as const

/** MongoDB is slow, and a caller has given up by the time the body is to be read: all of it is there, and is nobody's any more. */
describe('A client that disconnects after it sent everything', () => {
  const service = withService()
  const merchant = withMerchant(service)

  for (const [kind, path, type, body, status] of bodies)
    it(`stores no response as if the request had no ${kind}`, async () => {
      const headers = merchant.write()
      await giveUp(
        path,
        { ...headers, 'Content-Type': type, 'Content-Length': `${Buffer.byteLength(body)}` },
        body,
      )
      const answer = await service.http.post(path).set(headers).type(type).send(body)
      expect([answer.status, answer.headers['idempotent-replayed']]).to.deep.equal([status, undefined])
    })

  it('gets only as much refunded as it asked for', async () => {
    const { body } = await service.http.post(intents).set(merchant.write()).send({ amount: 500 })
    const path = `${intents}/${body.data.referenceNumber}`
    await service.http.post(`${path}/simulate-payment`).set(merchant.write()).expect(200)
    const headers = merchant.write()
    const part = '{"amount":100}'
    const sent = { ...headers, 'Content-Type': 'application/json', 'Content-Length': `${part.length}` }
    await giveUp(`${path}/refund`, sent, part)
    await service.http.post(`${path}/refund`).set(headers).send({ amount: 100 }).expect(200)
    const { body: after } = await service.http.get(path).set(merchant.read())
    expect(after.data.totalAmountRefunded).to.equal(100)
  })

  /** The key of the request is looked up for as long as it takes its caller to go. Resolves when nothing is left to do for it. */
  async function giveUp(path: string, headers: Record<string, string>, body: string): Promise<void> {
    const { deps } = service
    const server = createHttpServer(
      deps,
      createApp(deps, () => false),
      timeouts,
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { findKey } = deps.batchers
    const lines = Object.entries({ Host: 'a', ...headers }).map(([name, value]) => `${name}: ${value}`)
    const caller = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [served] = (await once(server, 'connection')) as [Socket]
    const looked = new Promise<void>((resolve) => {
      deps.batchers.findKey = async (hash, until) => {
        deps.batchers.findKey = findKey
        const gone = once(served, 'close')
        caller.destroy()
        await gone
        const found = await findKey(hash, until)
        setImmediate(resolve)
        return found
      }
    })
    caller.write([`POST ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
    await looked
    await new Promise((resolve) => server.close(resolve))
  }
})
