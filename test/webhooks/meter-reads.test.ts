import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import net from 'node:net'
import { createSecureContext } from 'node:tls'
import { expect } from 'chai'
import { openSocket } from '../../src/webhooks/sender/connect.ts'
import { type Connection, connectionOver } from '../../src/webhooks/sender/connection.ts'
import { exchange } from '../../src/webhooks/sender/exchange.ts'
import { createGate } from '../support/gate.ts'
import { waitFor } from '../support/wait-for.ts'
import { httpEndpoint, httpsEndpoint, pem, rawHttpEndpoint } from './endpoint-servers.ts'
import { body, headers, hostName, loopback, OK, stopAll } from './sending.ts'

describe('The time limit for parsing responses', () => {
  afterEach(stopAll)

  async function openConnection(): Promise<Connection> {
    const endpointServer = await rawHttpEndpoint((socket) => socket.write(OK))
    const socket = net.connect(endpointServer.port, '127.0.0.1')
    await once(socket, 'connect')
    return connectionOver(`http://127.0.0.1:${endpointServer.port}`, socket)
  }
  const send = (connection: Connection) =>
    exchange(connection, { path: '/', headers, body }, new AbortController().signal)

  it('charges the time to the business that the attempt belongs to', async () => {
    const connection = await openConnection()
    for (const _each of [1, 2]) {
      let countedMs = 0
      connection.meter = { ready: () => null, count: (ms) => void (countedMs += ms) }
      expect(await send(connection)).to.include({ isComplete: true })
      expect(countedMs).to.be.above(0)
    }
  })

  it('delays a response if its business has used up its parsing time', async () => {
    const connection = await openConnection()
    const [requested, allowed] = [createGate(), createGate()]
    let hasTime = false
    connection.meter = {
      ready() {
        requested.open()
        return hasTime ? null : allowed.passed
      },
      count: () => undefined,
    }
    let isDone = false
    const sent = send(connection).finally(() => {
      isDone = true
    })
    await requested.passed
    await new Promise(setImmediate)
    expect(isDone).to.equal(false)
    hasTime = true
    allowed.open()
    expect(await sent).to.include({ isComplete: true })
  })

  for (const secure of [false, true])
    it(`stops reading a long response while the business has no parsing time left, and accepts it later${secure ? ', with TLS' : ''}`, async () => {
      const long: RequestListener = (_req, res) => void res.end('x'.repeat(5_000_000))
      const endpointServer = secure ? await httpsEndpoint('endpoint', long) : await httpEndpoint(long)
      const { port } = endpointServer
      const origin = `${secure ? 'https' : 'http'}://${hostName}:${port}`
      const opened = await openSocket(
        { resolve: loopback, isBlocked: () => false },
        createSecureContext({ ca: pem('authority.pem') }),
        { origin, hostname: hostName, port, secure, allowed: true },
        { ready: () => null, count: () => undefined },
        new AbortController().signal,
      )
      if ('fault' in opened) return expect.fail(opened.fault.reason)
      const connection = connectionOver(origin, opened.socket, opened.raw)
      const allowed = createGate()
      let hasTime = false
      connection.meter = { ready: () => (hasTime ? null : allowed.passed), count: () => undefined }
      const { raw } = opened
      const most = (secure ? 256 : 128) * 1024
      const before = raw.bytesRead
      const sent = send(connection)
      // A socket whose buffer is full reads no more from the network.
      const isFull = () => raw.readableLength >= raw.readableHighWaterMark
      await waitFor('the process stops reading', () => isFull() || raw.bytesRead - before > most)
      expect(raw.bytesRead - before).to.be.within(64 * 1024, most)
      hasTime = true
      allowed.open()
      expect(await sent).to.have.nested.property('response.status', 200)
    })
})
