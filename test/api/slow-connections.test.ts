import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import express from 'express'
import { createApp } from '../../src/app.ts'
import { limitToOpenFiles } from '../../src/http/server/network-share.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { connectTo, crlf, expectFailure, postHead, readResponses, readToEnd, sendRaw } from './raw-request.ts'
import { type Opened, openProbes, openServer, shortTimeouts } from './short-timeouts.ts'

const body = '{"amount":5}'

describe('An HTTP connection', () => {
  const { service, merchant } = withServiceAndMerchant()
  let hasty: Opened
  before(async () => void (hasty = await openServer(service)))
  after(() => hasty.close())
  const head = (...headers: string[]) => postHead(intents, merchant.write(), ...headers)
  const create = () => head('Content-Length: 12') + body
  const probe = (socket: Socket) => {
    socket.write(crlf('GET /healthz HTTP/1.1', 'Host: a', 'Connection: close', '', ''))
    return readResponses(socket)
  }
  /** Sends `drop` after `beginning` again and again until the connection closes. */
  async function drip(origin: string, beginning: string, drop: string) {
    const socket = await connectTo(origin)
    socket.write(beginning)
    const dripping = setInterval(() => socket.write(drop), 40)
    const responses = await readResponses(socket)
    clearInterval(dripping)
    return responses
  }

  it('gets 408 REQUEST_TIMEOUT if its request arrives too slowly to be executed', async () => {
    const before = await service.deps.Intent.countDocuments()
    const all = await Promise.all([
      sendRaw(hasty.origin),
      sendRaw(hasty.origin, 'GET /heal'),
      sendRaw(hasty.origin, head('Content-Length: 12').trimEnd()),
      drip(hasty.origin, `GET ${intents} HTTP/1.1\r\n`, 'X: 1\r\n'),
      sendRaw(hasty.origin, head('Content-Length: 12'), body.slice(0, 5)),
      sendRaw(hasty.origin, head('Transfer-Encoding: chunked'), 'c\r\n{"am'),
      sendRaw(hasty.origin, head('Transfer-Encoding: chunked'), 'ffffffff\r\n{"am'),
      drip(hasty.origin, head('Content-Length: 200000'), ' '),
    ])
    for (const responses of all) {
      expect(responses).to.have.lengthOf(1)
      expectFailure(responses[0], 408, 'REQUEST_TIMEOUT')
    }
    expect(await service.deps.Intent.countDocuments()).to.equal(before)
  })

  it('gets an error page if the body of its form stalls', async () => {
    const form = ['Host: a', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 9']
    const origins = ['Origin: http://a', 'Sec-Fetch-Site: same-origin']
    for (const path of ['/p/ABCDEF', '/admin/sign-in']) {
      const wire = crlf(`POST ${path} HTTP/1.1`, ...form, ...origins, '', 'a=')
      const [response] = await sendRaw(hasty.origin, wire)
      expect(response?.status, path).to.equal(408)
      expect(response?.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    }
  })

  const fullRequestTime = { ...shortTimeouts, requestMs: httpTimeouts.requestMs }
  it('is closed long before the request timeout if a body stalls, even if an earlier one arrived fast', async () => {
    const { origin, close } = await openServer(service, fullRequestTime)
    const fast = head('Content-Length: 100000') + body.padEnd(100_000)
    const startedAt = performance.now()
    const all = await Promise.all([
      sendRaw(origin, head('Content-Length: 12'), ''),
      sendRaw(origin, head('Content-Length: 200000'), body.padEnd(100_000)),
      sendRaw(origin, head('Transfer-Encoding: chunked'), '1\r\n{\r\n'),
      sendRaw(origin, fast + head('Content-Length: 5000'), ' '),
    ])
    expect(performance.now() - startedAt).to.be.below(httpTimeouts.requestMs / 2)
    for (const responses of all) expectFailure(responses.at(-1), 408, 'REQUEST_TIMEOUT')
    expect(all.at(-1)?.map(({ status }) => status)).to.deep.equal([201, 408])
    await close()
  })

  it('is served if its request body arrives in time, however slowly', async () => {
    const { origin, close } = await openServer(service, fullRequestTime)
    const framings: [header: string, frame: (byte: string) => string, end: string][] = [
      [`Content-Length: ${body.length}`, (byte) => byte, ''],
      ['Transfer-Encoding: chunked', (byte) => `1\r\n${byte}\r\n`, '0\r\n\r\n'],
    ]
    const responses = framings.map(async ([header, frame, end]) => {
      const socket = await connectTo(origin)
      const received = readResponses(socket)
      socket.write(head(header, 'Connection: close'))
      for (const byte of body) {
        await wait(shortTimeouts.bodyStallMs / 3)
        socket.write(frame(byte))
      }
      socket.write(end)
      return received
    })
    for (const [response] of await Promise.all(responses)) expect(response?.status).to.equal(201)
    await close()
  })

  it('is closed if it is idle, or if the client sends only empty lines, after the first response', async () => {
    const idle = await openServer(service, { ...shortTimeouts, keepAliveMs: 200 })
    const first = crlf('GET /healthz HTTP/1.1', 'Host: a', '', '')
    const both = await Promise.all([sendRaw(idle.origin, first), drip(idle.origin, first, '\r\n')])
    await idle.close()
    expect(both.map((responses) => responses.map(({ status }) => status))).to.deep.equal([[200], [200]])
  })

  it('gets no 408 if the response was sent before the body had arrived', async () => {
    const announced = ['Host: a', 'Content-Length: 12', 'Content-Type: application/json', '', '']
    const early = await Promise.all([
      sendRaw(hasty.origin, crlf(`POST ${intents} HTTP/1.1`, ...announced)),
      sendRaw(hasty.origin, crlf('POST /nothing HTTP/1.1', ...announced), '{"amou'),
    ])
    expect(early.map((responses) => responses.map(({ status }) => status))).to.deep.equal([[401], [404]])
  })

  const large = 'Content-Length: 9000000'
  const refusedBodies: [what: string, head: () => string, status: number, code: string][] = [
    ['for its size', () => head(large), 413, 'PAYLOAD_TOO_LARGE'],
    ['for its key', () => postHead(intents, {}, large, 'Connection: close'), 401, 'MISSING_CREDENTIALS'],
  ]
  for (const [what, headOf, status, code] of refusedBodies)
    it(`stays open until the client has read the refusal of a body that it is still sending: ${what}`, async () => {
      const socket = await connectTo(hasty.origin)
      socket.on('error', () => undefined)
      socket.pause()
      socket.write(headOf())
      for (let n = 0; n < 20; n += 1) {
        socket.write('x'.repeat(10_000))
        await wait(5)
      }
      const [response] = await readResponses(socket.resume())
      expectFailure(response, status, code)
    })

  it('serves nothing after a request whose response closes it, even if that response must wait', async () => {
    const { resolve: respond, promise } = Promise.withResolvers<undefined>()
    const queues = { ...service.deps.queues, ping: () => promise }
    const opened = await openServer(service, shortTimeouts, createApp({ ...service.deps, queues }))
    const before = await service.deps.Intent.countDocuments()
    const accepted = once(opened.server, 'connection') as Promise<[Socket]>
    const socket = await connectTo(opened.origin)
    const received = readResponses(socket)
    const malformed = crlf('GET /healthz HTTP/1.1', 'Host: a', 'Host: b', '', '')
    const wire = crlf('GET /readyz HTTP/1.1', 'Host: a', '', '') + malformed + create()
    socket.write(wire)
    const [atServer] = await accepted
    await waitFor('the server has read everything', () => atServer.bytesRead === wire.length)
    respond(undefined)
    expect((await received).map(({ status }) => status)).to.deep.equal([200, 400])
    await opened.close()
    expect(await service.deps.Intent.countDocuments()).to.equal(before)
  })

  it('never executes a request that the client cuts off, whatever the last byte', async () => {
    const whole = create()
    const before = await service.deps.Intent.countDocuments()
    const offsets = Array.from({ length: 12 }, (_, n) => Math.floor((whole.length * n) / 12))
    const closed = offsets.flatMap((offset) => [
      (socket: Socket) => socket.end(whole.slice(0, offset)),
      (socket: Socket) => socket.write(whole.slice(0, offset), () => socket.resetAndDestroy()),
      (socket: Socket) => socket.write(whole.slice(0, offset), () => socket.destroy()),
    ])
    await Promise.all(
      closed.map(async (leave) => {
        const socket = await connectTo(hasty.origin)
        leave(socket.resume())
        await once(socket, 'close')
      }),
    )
    const gone = await connectTo(hasty.origin)
    gone.end(crlf(`GET ${intents} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${merchant.key}`, '', ''))
    await service.http.get('/healthz').expect(200)
    expect(await service.deps.Intent.countDocuments()).to.equal(before)
  })

  it('can be reset while a request is queued without crashing the process', async () => {
    let respond = () => undefined as unknown
    const ping = () => new Promise((resolve) => (respond = () => resolve(undefined)))
    const queues = { ...service.deps.queues, ping }
    const opened = await openServer(service, shortTimeouts, createApp({ ...service.deps, queues }))
    const probes = await openProbes({ ...service.deps, queues })
    const slow = crlf('GET /readyz HTTP/1.1', 'Host: a', '', '')
    const tunnel = crlf('CONNECT a:443 HTTP/1.1', 'Host: a', '', '')
    const upgrade = crlf('GET /healthz HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: h2c', '', '')
    for (const server of [opened.server, probes.server])
      for (const behind of [tunnel, upgrade]) {
        const accepted = once(server, 'connection') as Promise<[Socket]>
        const socket = await connectTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        socket.write(slow + behind)
        const [atServer] = await accepted
        await waitFor('all has been read', () => atServer.bytesRead === slow.length + behind.length)
        socket.resetAndDestroy()
        // Mocha fails on an unhandled error event.
        await waitFor('the reset has arrived', () => atServer.closed)
        respond()
      }
    await Promise.all([opened.close(), probes.stop(0)])
  })

  it('ends all its requests and frees their memory when the client resets it', async () => {
    const running = new Set<object>()
    const app = express().use((_req, res) => {
      running.add(res)
      res.once('close', () => running.delete(res))
    })
    const { origin, close } = await openServer(service, shortTimeouts, app)
    for (const behind of ['', crlf('CONNECT a:443 HTTP/1.1', 'Host: a', '', '')]) {
      const socket = await connectTo(origin)
      socket.write(crlf('GET / HTTP/1.1', 'Host: a', '', '').repeat(3) + behind)
      await waitFor('all are running', () => running.size === 3)
      socket.resetAndDestroy()
      await waitFor('all have ended', () => running.size === 0)
    }
    await close()
  })

  it('is closed at the 11th of 100 000 pipelined requests, and none of the later ones is executed', async () => {
    let begun = 0
    const app = express().get('/', (_req, res) => {
      begun += 1
      setTimeout(() => res.end(), 20)
    })
    const { server, origin, close } = await openServer(service, shortTimeouts, app)
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = await connectTo(origin)
    const received = readToEnd(socket)
    socket.write(crlf('GET / HTTP/1.1', 'Host: a', '', '').repeat(100_000))
    const [atServer] = await accepted
    await received
    await close()
    expect(begun).to.equal(10)
    expect(atServer.bytesRead).to.be.below(1_000_000)
  })

  it('is closed after 1 000 requests, as announced in the last response', async () => {
    const socket = await connectTo(service.origin)
    const received: string[] = []
    for (let sent = 0; sent < 1000; sent += 1) {
      socket.write(crlf('GET /healthz HTTP/1.1', 'Host: a', '', ''))
      received.push(String(await once(socket, 'data')))
    }
    socket.destroy()
    const isLast = received.map((wire) => /\r\nConnection: close\r\n/.test(wire))
    expect(isLast.lastIndexOf(false)).to.equal(998)
    expect(isLast.at(-1)).to.equal(true)
  })

  it('is closed after the last response, even if the client keeps its side open', async () => {
    const { server, origin, close } = await openServer(service, { ...shortTimeouts, lingerMs: 50 })
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.resume().write('noise\r\n\r\n')
    const [atServer] = await accepted
    await waitFor('the server has closed the connection', () => atServer.destroyed)
    socket.destroy()
    await close()
  })

  it('is closed if the process already has its maximum number of connections', async () => {
    expect(hasty.server.maxConnections).to.equal(limitToOpenFiles())
    const { origin, close } = await openServer(service, httpTimeouts, undefined, 1)
    const standing = await connectTo(origin)
    expect((await readToEnd(await connectTo(origin))).length).to.equal(0)
    expect((await probe(standing))[0]?.status).to.equal(200)
    await close()
  })

  describe('from an IP address', () => {
    const connectFrom = (origin: string, localAddress: string) =>
      new Promise<Socket>((resolve, reject) => {
        const { hostname: host, port } = new URL(origin)
        const socket = connect({ host, port: Number(port), localAddress }, () => resolve(socket))
        socket.on('error', reject)
      })
    const connectMany = (origin: string, count: number, from: string) =>
      Promise.all(Array.from({ length: count }, () => connectFrom(origin, from)))
    const standing = (sockets: Socket[]) => sockets.filter(({ destroyed }) => !destroyed)
    const most = 200
    const ofAddress = most / 10

    it('is closed if that address already has a tenth of all connections', async () => {
      const { origin, close } = await openServer(service, httpTimeouts, undefined, most)
      const all = await connectMany(origin, ofAddress + 5, '127.7.0.1')
      for (const socket of all) socket.resume()
      await waitFor('five are closed', () => standing(all).length === ofAddress)
      expect((await probe(await connectFrom(origin, '127.7.0.2')))[0]?.status).to.equal(200)
      standing(all)[0]?.destroy()
      await waitFor('another connection is served', async () => {
        const responses = await probe(await connectFrom(origin, '127.7.0.1'))
        return responses.length > 0
      })
      await close()
    })

    it('stays open, however many connections the address has, if TRUST_PROXY lists the address', async () => {
      const config = { ...service.deps.config, trustProxy: ['127.9.0.1'] }
      const app = createApp({ ...service.deps, config })
      const { origin, close } = await openServer(service, httpTimeouts, app, most)
      const all = await connectMany(origin, ofAddress + 5, '127.9.0.1')
      expect((await probe(all.at(-1) as Socket))[0]?.status).to.equal(200)
      expect(standing(all)).to.have.length(ofAddress + 4)
      await close()
    })
  })
})
