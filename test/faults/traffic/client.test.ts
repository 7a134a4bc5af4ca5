import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { chanceOf } from '../../support/chance.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Call } from '../evidence/evidence.ts'
import { openClient, type RequestSpec } from './client.ts'

const wanted = { amount: 100, label: 'abcdef' }
const create: RequestSpec = {
  operation: 1,
  actor: 'merchant',
  what: 'create',
  method: 'POST',
  path: '/api/v1/dev/intents',
  idempotencyKey: 'k1',
  body: { json: wanted },
}

const { idempotencyKey: _key, ...read } = create

describe('A traffic client', () => {
  const bodies = new Set<string>()
  let broken = 0
  const server = createServer((req, res) => {
    text(req).then(
      (body) => {
        bodies.add(body)
        return res.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
      },
      () => (broken += 1),
    )
  })
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('aborts some writes in the middle of the body, but only those with an idempotency key', async () => {
    const calls: Call[] = []
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const record = { call: (call: Call) => void calls.push(call) }
    const client = openClient({ record, origins: [origin], clockAheadMs: () => 0 })
    const lostOf = async (spec: RequestSpec): Promise<number> => {
      calls.length = 0
      for (let attempt = 0; attempt < 200; attempt += 1)
        await client.makeCall(spec, attempt, chanceOf(attempt, 'attempt'))
      return calls.filter(({ status }) => status === null).length
    }
    expect(await lostOf(create)).to.be.within(1, 20)
    await waitFor('half a body has arrived', () => broken > 0)
    expect([...bodies]).to.deep.equal([JSON.stringify(wanted)])
    expect(await lostOf(read)).to.equal(0)
    await client.close()
  })
})
