import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import { type Connection, connectionOver } from '../../src/webhooks/sender/connection.ts'
import { exchange } from '../../src/webhooks/sender/exchange.ts'
import type { Meter } from '../../src/webhooks/sender/meter.ts'
import { rawHttpEndpoint } from './endpoint-servers.ts'
import { body, headers, OK, stopAll } from './sending.ts'

describe('The time in which responses are parsed', () => {
  afterEach(stopAll)

  async function connect(): Promise<Connection> {
    const endpointServer = await rawHttpEndpoint((socket) => socket.write(OK))
    const socket = net.connect(endpointServer.port, '127.0.0.1')
    await once(socket, 'connect')
    return connectionOver(`http://127.0.0.1:${endpointServer.port}`, socket)
  }
  const send = (connection: Connection) =>
    exchange(connection, { path: '/', headers, body }, new AbortController().signal)

  it('is counted for the business of the attempt', async () => {
    const connection = await connect()
    for (const _each of [1, 2]) {
      let countedMs = 0
      connection.meter = { ready: () => null, count: (ms) => void (countedMs += ms) }
      expect(await send(connection)).to.include({ isComplete: true })
      expect(countedMs).to.be.above(0)
    }
  })

  it('is waited for when the business has none left: the response is read then', async () => {
    const connection = await connect()
    let allow = (): void => undefined
    let ready: Promise<void> | null = new Promise((resolve) => {
      allow = resolve
    })
    let asked = (): void => undefined
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    const meter: Meter = {
      ready() {
        asked()
        return ready
      },
      count: () => undefined,
    }
    connection.meter = meter
    let isDone = false
    const sent = send(connection).then((done) => {
      isDone = true
      return done
    })
    await isAsked
    await new Promise(setImmediate)
    expect(isDone).to.equal(false)
    ready = null
    allow()
    expect(await sent).to.include({ isComplete: true })
  })
})
