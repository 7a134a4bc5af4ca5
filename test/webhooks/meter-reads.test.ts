import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import { type Connection, connectionOver } from '../../src/webhooks/sender/connection.ts'
import { exchange } from '../../src/webhooks/sender/exchange.ts'
import { createGate } from '../support/gate.ts'
import { rawHttpEndpoint } from './endpoint-servers.ts'
import { body, headers, OK, stopAll } from './sending.ts'

describe('The time spent on parsing responses', () => {
  afterEach(stopAll)

  async function openConnection(): Promise<Connection> {
    const endpointServer = await rawHttpEndpoint((socket) => socket.write(OK))
    const socket = net.connect(endpointServer.port, '127.0.0.1')
    await once(socket, 'connect')
    return connectionOver(`http://127.0.0.1:${endpointServer.port}`, socket)
  }
  const send = (connection: Connection) =>
    exchange(connection, { path: '/', headers, body }, new AbortController().signal)

  it("is charged to the attempt's business", async () => {
    const connection = await openConnection()
    for (const _each of [1, 2]) {
      let countedMs = 0
      connection.meter = { ready: () => null, count: (ms) => void (countedMs += ms) }
      expect(await send(connection)).to.include({ isComplete: true })
      expect(countedMs).to.be.above(0)
    }
  })

  it('delays the response while the business has used up its allowed time', async () => {
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
})
