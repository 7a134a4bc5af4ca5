import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createApp } from '../../src/app.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { recordLog } from '../support/recorded-log.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { openServer } from './short-timeouts.ts'

const csv = 'handle,name,price,stock\ntea,Thé,500,3'
const bodies = [
  ['JSON', intents, 'application/json', '{"amount":500}', 201],
  ['a file', '/api/v1/dev/store/products/import-csv', 'text/csv', csv, 200],
] as const

/** MongoDB is slow, and the client disconnects once its whole body has arrived but before we read it. */
describe('A request whose client disconnects before the response', () => {
  const recorded = recordLog()
  const { service, merchant } = withServiceAndMerchant({}, recorded.log)

  for (const [kind, path, type, body, status] of bodies)
    it(`is never treated as if it had no body: ${kind}`, async () => {
      const headers = merchant.write()
      await giveUp(path, { ...headers, 'Content-Type': type }, body)
      const response = await service.http.post(path).set(headers).type(type).send(body)
      expect([response.status, response.headers['idempotent-replayed']]).to.deep.equal([status, undefined])
    })

  it('refunds exactly the requested amount', async () => {
    const { body } = await service.http.post(intents).set(merchant.write()).send({ amount: 500 })
    const path = `${intents}/${body.data.referenceNumber}`
    await service.http.post(`${path}/simulate-payment`).set(merchant.write()).expect(200)
    const headers = merchant.write()
    await giveUp(`${path}/refund`, { ...headers, 'Content-Type': 'application/json' }, '{"amount":100}')
    await service.http.post(`${path}/refund`).set(headers).send({ amount: 100 }).expect(200)
    expect((await service.http.get(path).set(merchant.read())).body.data.totalAmountRefunded).to.equal(100)
  })

  it('logs no error if it downloads a file', async () => {
    await giveUp('/api/v1/dev/store/products/export-csv', merchant.read(), '', 'GET')
    const line = () => recorded.lines().find(({ route }) => route === 'GET /dev/store/products/export-csv')
    await waitFor(
      'the request has ended',
      () => service.deps.capacity.used().exports === 0 && line() !== undefined,
    )
    expect(line()).to.include({ status: null, msg: 'http.request' })
    expect(recorded.lines().filter(({ level }) => Number(level) >= 50)).to.deep.equal([])
  })

  async function giveUp(
    path: string,
    headers: Record<string, string>,
    body: string,
    method = 'POST',
  ): Promise<void> {
    const { deps } = service
    const app = createApp(deps)
    const { server, origin, close } = await openServer(service, httpTimeouts, app)
    const { findKey } = deps.batchers
    const fields = { Host: 'a', 'Content-Length': Buffer.byteLength(body), ...headers }
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
    const caller = connect(Number(new URL(origin).port), '127.0.0.1')
    const [served] = (await once(server, 'connection')) as [Socket]
    const looked = new Promise<void>((resolve) => {
      deps.batchers.findKey = async (hash, deadlineAt) => {
        deps.batchers.findKey = findKey
        const gone = once(served, 'close')
        caller.destroy()
        await gone
        const found = await findKey(hash, deadlineAt)
        setImmediate(resolve)
        return found
      }
    })
    caller.write([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))
    await looked
    await close()
  }
})
