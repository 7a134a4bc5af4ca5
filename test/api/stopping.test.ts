import type { Socket } from 'node:net'
import express from 'express'
import { deadlineMs } from '../support/machine.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { connectTo, crlf, readResponses } from './raw-request.ts'
import { openServer, shortTimeouts } from './short-timeouts.ts'

const get = crlf('GET / HTTP/1.1', 'Host: a', '', '')

describe('An HTTP server that is stopping', () => {
  const service = withService()

  it('completes a response that the client is still reading', async () => {
    const body = 'x'.repeat(20_000_000)
    const app = express().get('/', (_req, res) => res.end(body))
    const { server, stop, origin } = await openServer(
      service,
      { ...shortTimeouts, responseIdleMs: 10_000 },
      app,
    )
    const socket = await connectTo(origin)
    socket.pause().write(get)
    await waitFor('part of the response has arrived', () => socket.bytesRead > 0)
    const stopped = stop(10_000)
    await waitFor('the server has stopped listening', () => !server.listening)
    const [response] = await readResponses(socket.resume())
    expect(response?.body.length).to.equal(body.length)
    await stopped
  })

  it('still serves connections that arrive shortly after the stop begins but accepts none later', async () => {
    const app = express().get('/', (_req, res) => res.end('{}'))
    const { stop, origin } = await openServer(
      service,
      { ...shortTimeouts, headersMs: 60_000, requestMs: 60_000 },
      app,
    )
    const sockets: Socket[] = []
    const knocking = setInterval(() => {
      void connectTo(origin).then((socket) => sockets.push(socket))
    }, 20)
    await waitFor('some connections have arrived', () => sockets.length > 3)
    const stopped = stop(deadlineMs(1000))
    const before = sockets.length
    await waitFor('more connections have arrived', () => sockets.length > before + 3)
    clearInterval(knocking)
    const wires = sockets.map((socket) => {
      socket.write(get.replace('Host', 'Connection: close\r\nHost'))
      return readResponses(socket)
    })
    for (const responses of await Promise.all(wires))
      expect(responses.map(({ status }) => status)).to.deep.equal([200])
    await stopped
    expect(await connectTo(origin).catch(({ code }: NodeJS.ErrnoException) => code)).to.equal('ECONNREFUSED')
  })
})
