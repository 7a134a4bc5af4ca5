import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

describe('A client of the traffic', () => {
  const whole: string[] = []
  let broken = 0
  let server: Server
  let origin: string
  before(async () => {
    server = createServer((req, res) => {
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
    const record = { call: (call: Call) => void calls.push(call) } as unknown as Recording
    const client = openClient({ record, origins: () => [origin], clockAheadMs: () => 0 })
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
})
