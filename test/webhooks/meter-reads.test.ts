import type { RequestListener } from 'node:http'
import type { TimeMeter } from '../../src/limits/rate.ts'
import type { HttpConnection } from '../../src/webhooks/sender/connections.ts'
import { sendHttpRequest } from '../../src/webhooks/sender/send.ts'
import { waitFor } from '../support/wait-for.ts'
import { httpEndpoint, httpsEndpoint, rawHttpEndpoint } from './endpoint-servers.ts'
import { body, headers, OK, openConnection, stopAll } from './sending.ts'

describe('The CPU time limit for parsing responses', () => {
  afterEach(stopAll)
  const okEndpoint = () => rawHttpEndpoint((socket) => socket.write(OK))
  const send = (connection: HttpConnection, meter: TimeMeter) =>
    sendHttpRequest(connection, meter, { path: '/', headers, body }, new AbortController().signal)

  it("charges the parsing time to the attempt's business", async () => {
    const connection = await openConnection(await okEndpoint())
    for (const _each of [1, 2]) {
      let countedMs = 0
      const meter = { waitMs: () => 0, count: (ms: number) => void (countedMs += ms) }
      expect(await send(connection, meter)).to.include({ isReusable: true })
      expect(countedMs).to.be.above(0)
    }
  })

  for (const secure of [false, true])
    it(`pauses a long response while its business has no CPU time left${secure ? ', with TLS' : ''}`, async () => {
      const long: RequestListener = (_req, res) => void res.end('x'.repeat(5_000_000))
      const connection = await openConnection(
        secure ? await httpsEndpoint('endpoint', long) : await httpEndpoint(long),
        secure,
      )
      let hasTime = false
      const { raw } = connection
      const most = 192 * 1024
      const before = raw.bytesRead
      const sent = send(connection, { waitMs: () => (hasTime ? 0 : 5), count: () => undefined })
      // A socket whose buffer is full reads no more from the network.
      const isFull = () => raw.readableLength >= raw.readableHighWaterMark
      await waitFor('the process stops reading', () => isFull() || raw.bytesRead - before > most)
      expect(raw.bytesRead - before).to.be.within(64 * 1024, most)
      hasTime = true
      expect(await sent).to.have.nested.property('response.status', 200)
    })
})
