import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import type { Call } from '../evidence/evidence.ts'
import type { Recording } from '../evidence/record.ts'
import { chanceOf } from './chance.ts'
import { openClient } from './client.ts'
import type { Wish } from './wish.ts'

const create: Wish = {
  operation: 1,
  actor: 'merchant',
  what: 'create',
  key: null,
  method: 'POST',
  path: '/api/v1/dev/intents',
  idempotencyKey: 'k1',
  body: { json: { amount: 100, label: 'abcdef' } },
  otherBody: null,
  expects: [],
  headers: {},
}

const keptIn = (calls: Call[]): Recording =>
  ({ call: (call: Call) => void calls.push(call) }) as unknown as Recording

describe('A client of the traffic', () => {
  const whole: string[] = []
  let broken = 0
  let connections = 0
  /** Of each request that came, in turn, whether it was the first on its connection. */
  const firsts: boolean[] = []
  const used = new WeakSet<Socket>()
  let server: Server
  let origin: string
  before(async () => {
    server = createServer((req, res) => {
      firsts.push(!used.has(req.socket))
      used.add(req.socket)
      if (req.url === '/unanswered') return
      let text = ''
      req.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      req.on('end', () => {
        whole.push(text)
        res.writeHead(201, { 'Content-Type': 'application/json' }).end('{}')
      })
      req.on('error', () => {
        broken += 1
      })
    })
    server.on('connection', () => {
      connections += 1
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('breaks off in the midst of its body now and then, where its write has a key', async () => {
    const calls: Call[] = []
    const client = openClient({ record: keptIn(calls), origins: () => [origin], clockAheadMs: () => 0 })
    const askAll = async (wish: Wish): Promise<number> => {
      calls.length = 0
      for (let tries = 0; tries < 200; tries += 1) await client.ask(wish, tries, chanceOf(tries, 'try'))
      return calls.filter(({ status }) => status === null).length
    }
    const unanswered = await askAll(create)
    expect(unanswered).to.be.within(1, 20)
    await until('a half has come', () => broken > 0)
    expect(new Set(whole)).to.deep.equal(
      new Set([JSON.stringify(create.body && Object.values(create.body)[0])]),
    )
    expect(await askAll({ ...create, idempotencyKey: null })).to.equal(0)
    await client.close()
  })

  it('says how long its connection had said nothing: of the first request on it, and of no other', async () => {
    const client = openClient({ record: keptIn([]), origins: () => [origin], clockAheadMs: () => 0 })
    const read: Wish = { ...create, actor: 'auditor', method: 'GET', idempotencyKey: null, body: null }
    const silentMs = async (wish: Wish) => (await client.ask(wish, 1, chanceOf(1, 'try'))).silentMs
    firsts.length = 0
    const silences = [await silentMs(read), await silentMs(read), await silentMs(read), await silentMs(read)]
    expect(silences.map((ms) => ms !== null)).to.deep.equal(firsts)
    expect(firsts).to.include(false)

    // One that gives up after 700 ms: another connection is opened at once, and said nothing on.
    const before = connections
    const hasty = chanceOf(7, 'try')
    const { status, timeoutMs } = await client.ask(
      { ...read, actor: 'customer', path: '/unanswered' },
      1,
      hasty,
    )
    expect({ status, timeoutMs }).to.deep.equal({ status: null, timeoutMs: 700 })
    await until('another connection is open', () => connections > before)
    const openedBy = Date.now()
    await until('it has been silent for a while', () => Date.now() > openedBy + 300)
    expect(await silentMs(read)).to.be.within(200, 5000)
    await client.close()
  })
})
