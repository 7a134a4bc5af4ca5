import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { freePort } from '../../dev/servers/free-port.ts'
import type { HttpConnection } from '../../src/webhooks/sender/connections.ts'
import { createConnectionPool } from '../../src/webhooks/sender/connections.ts'
import { openSocket } from '../../src/webhooks/sender/open-socket.ts'
import { type AddressLookup, resolveAddresses } from '../../src/webhooks/sender/resolve.ts'
import { sendHttpRequest } from '../../src/webhooks/sender/send.ts'
import { waitFor } from '../support/wait-for.ts'
import { closing, httpEndpoint, rawEndpoint, rawHttpEndpoint, silentEndpoint } from './endpoint-servers.ts'
import {
  activeTimers,
  block,
  body,
  expectStage,
  forever,
  headers,
  hostName,
  loopback,
  OK,
  okEndpoint,
  openConnection,
  owner,
  sender,
  senderTo,
  shortTimeout,
  stopAll,
  unlimited,
} from './sending.ts'

describe('The webhook sender with reusable connections', () => {
  afterEach(stopAll)

  it('reuses a connection, even after an error status', async () => {
    let count = 0
    const endpointServer = await httpEndpoint((_req, res) =>
      res.writeHead(++count % 2 ? 500 : 200).end('x'.repeat(10_000)),
    )
    const { post } = senderTo([endpointServer], {})
    for (let time = 0; time < 20; time++) await post()
    expect(count).to.equal(20)
    expect(endpointServer.connections).to.have.length(1)
  })

  it('notices that an idle connection was closed', async () => {
    const endpointServer = await rawHttpEndpoint((socket) => socket.end(OK))
    const { post } = senderTo([endpointServer], {})
    for (let time = 0; time < 3; time++) {
      expect(await post()).to.include({ stage: null })
      await closing(endpointServer.connections[time] as Socket)
    }
    expect(endpointServer.connections).to.have.length(3)
  })

  it('does not reuse a connection if the endpoint responded before reading the whole request', async () => {
    const endpointServer = await rawEndpoint((socket) => {
      socket.once('data', () => socket.pause().write(OK))
    })
    const { send, urls } = senderTo([endpointServer], {})
    const large = { url: urls[0] ?? '', headers, body: 'x'.repeat(10_000_000), owner }
    for (const _each of [1, 2]) expect(await send(large)).to.include({ stage: null })
    expect(endpointServer.connections).to.have.length(2)
  })

  it('closes an idle connection when the endpoint sends something on it', async () => {
    const endpointServer = await rawHttpEndpoint((socket) => socket.write(OK))
    const { post } = senderTo([endpointServer], {})
    expect(await post()).to.include({ stage: null })
    const [first] = endpointServer.connections
    first?.write('HTTP/1.1 500 Failed\r\ncontent-length: 0\r\n\r\n')
    await closing(first as Socket)
    expect(await post()).to.include({ stage: null })
    expect(endpointServer.connections).to.have.length(2)
  })

  for (const [when, text] of [
    ['without a response', ''],
    ['in the middle of the response', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
  ] as const)
    it(`sends a request only once if the endpoint closes a reused connection ${when}`, async () => {
      let requests = 0
      const endpointServer = await rawHttpEndpoint((socket) =>
        ++requests === 1 ? socket.write(OK) : socket.end(text),
      )
      const { post } = senderTo([endpointServer], {})
      expect(await post()).to.include({ stage: null })
      expectStage(await post(), 'closed')
      expect(requests).to.equal(2)
    })

  it('never runs two attempts on one connection at the same time', async () => {
    const held: ServerResponse[] = []
    const endpointServer = await httpEndpoint((_req, res) => {
      held.push(res)
      if (held.length === 3) for (const response of held.splice(0)) response.end()
    })
    const { post } = senderTo([endpointServer], {})
    for (let round = 0; round < 5; round++) {
      const three = await Promise.all([1, 2, 3].map(() => post()))
      for (const attempt of three) expect(attempt).to.include({ stage: null })
    }
    expect(endpointServer.connections).to.have.length(3)
  })

  it('closes an idle connection before the endpoint would', async () => {
    // The sender subtracts two seconds for the round trip, so it closes this connection after one.
    const endpointServer = await httpEndpoint((_req, res) => res.setHeader('keep-alive', 'timeout=3').end())
    const { post } = senderTo([endpointServer], {})
    await post()
    await closing(endpointServer.connections[0] as Socket)
  })

  it('does not reuse a connection that was idle for too long because the process was busy', async () => {
    const endpointServer = await httpEndpoint((_req, res) => res.setHeader('keep-alive', 'timeout=3').end())
    const { post } = senderTo([endpointServer], {})
    await post()
    block(1_050)
    expect(await post()).to.include({ stage: null })
    expect(endpointServer.connections).to.have.length(2)
  })

  it('never makes an attempt wait for a socket', async () => {
    const held: ServerResponse[] = []
    const all = await Promise.all(
      [1, 2, 3].map(() =>
        httpEndpoint((_req, res) => {
          held.push(res)
          if (held.length === 30) for (const response of held.splice(0)) response.end()
        }),
      ),
    )
    const { post } = senderTo(all, { maxSockets: 4 })
    for (let round = 0; round < 3; round++) {
      const sent = Array.from({ length: 30 }, (_, at) => post(at % 3))
      for (const attempt of await Promise.all(sent)) expect(attempt).to.include({ stage: null })
    }
  })

  it('closes the longest-idle connection if another endpoint needs a socket', async () => {
    const all = await Promise.all([1, 2, 3].map(() => okEndpoint()))
    const { post } = senderTo(all, { maxSockets: 2 })
    for (const at of [0, 1, 2]) expect(await post(at)).to.include({ stage: null })
    await closing(all[0]?.connections[0] as Socket)
    await post(1)
    expect(all[1]?.connections).to.have.length(1)
  })

  it('frees the socket after every kind of failure', async () => {
    const hanging = await silentEndpoint()
    const closingAtOnce = await rawEndpoint((socket) => socket.destroy())
    const huge = await httpEndpoint((_req, res) => res.end('x'.repeat(100_000)))
    const fine = [await okEndpoint(), await okEndpoint()]
    const port = await freePort()
    const hosts = [hanging, closingAtOnce, huge, ...fine].map((server) => `127.0.0.1:${server.port}`)
    const options = { maxSockets: 2, resolve: loopback, ...shortTimeout }
    const made = sender([...hosts, `127.0.0.1:${port}`], options)
    const fruitless = [...hosts.slice(0, 3), `127.0.0.1:${port}`].map((host) => `http://${host}/`)
    const failing = [...fruitless, `https://${hostName}/`]
    for (const url of [...failing, ...failing]) await made.post(url)
    // Both connections stay open, because the sockets of failed attempts no longer count.
    for (const at of [3, 4, 3, 4]) expect(await made.post(`http://${hosts[at]}/`)).to.include({ stage: null })
    for (const { connections } of fine) expect(connections).to.have.length(1)
  })

  it('frees the socket if opening it throws', async () => {
    const endpointServer = await okEndpoint()
    const connections = createConnectionPool(2)
    const idle = await openConnection(endpointServer, false, connections)
    connections.giveBack(idle)
    const bug = new Error('bug')
    const thrown = await connections.open('', () => Promise.reject(bug)).catch((error: unknown) => error)
    expect(thrown).to.equal(bug)
    const second = await openConnection(endpointServer, false, connections)
    expect(connections.take('')).to.equal(idle)
    for (const { gauge } of [idle, second]) gauge.stream.destroy()
  })

  it('leaves no listener, timer or socket behind after hundreds of attempts', async () => {
    const warnings: Error[] = []
    const note = (warning: Error): void => void warnings.push(warning)
    process.on('warning', note)
    const endpointServer = await httpEndpoint((_req, res) => res.end('ok'))
    const { post, close } = senderTo([endpointServer], { maxSockets: 40 })
    let left = 600
    const before = activeTimers()
    const work = async (): Promise<void> => {
      while (left-- > 0) await post()
    }
    await Promise.all(Array.from({ length: 40 }, work))
    // Timers of services closed in earlier test files may still end, and new ones may start.
    await waitFor('the timers', () => activeTimers() <= before + endpointServer.connections.length)
    expect(endpointServer.connections).to.have.length.at.most(40)
    const [first] = endpointServer.connections
    await close()
    await Promise.all(endpointServer.connections.map(closing))
    process.off('warning', note)
    expect(first?.destroyed).to.equal(true)
    expect(warnings).to.deep.equal([])
  })

  it('still finishes running attempts after it is closed', async () => {
    const arrivals = new EventEmitter()
    const arrived = once(arrivals, 'request')
    const endpointServer = await httpEndpoint((_req, res) => arrivals.emit('request', res))
    const { post, close } = senderTo([endpointServer], {})
    const sending = post()
    const [response] = (await arrived) as [ServerResponse]
    const closed = close()
    response.end()
    expect(await sending).to.include({ stage: null })
    await closed
    await closing(endpointServer.connections[0] as Socket)
    expect(await post().catch((error: Error) => error.message)).to.equal('The sender is closed.')
  })

  it('neither connects nor sends after the deadline', async () => {
    const endpointServer = await okEndpoint()
    const past = AbortSignal.abort()
    const target = {
      origin: '',
      hostname: '127.0.0.1',
      port: endpointServer.port,
      secure: false,
      allowed: true,
    }
    const [found, never] = [loopback, forever].map((resolve) => ({ resolve, isBlocked: () => false }))
    const route = { ...(found as AddressLookup), trust: createSecureContext(), proxy: null }
    expect(await openSocket(route, target, unlimited, past)).to.have.nested.property('fault.stage', 'timeout')
    expect(
      await resolveAddresses(never as AddressLookup, { hostname: hostName, allowed: true }, past),
    ).to.have.nested.property('fault.stage', 'timeout')
    const request = { path: '/', headers, body }
    expect(await sendHttpRequest({} as HttpConnection, unlimited, request, past)).to.have.nested.property(
      'fault.stage',
      'timeout',
    )
    expect(endpointServer.connections).to.have.length(0)
  })

  it('throws on an invalid request instead of blaming the endpoint', async () => {
    const { send, urls } = senderTo([await okEndpoint()], {})
    const bad = { url: urls[0] ?? '', headers: { 'x-service-event': 'a\nb' }, body, owner }
    expect(await send(bad).catch((thrown: Error) => thrown)).to.be.instanceOf(Error)
    expect(await send({ ...bad, headers })).to.include({ stage: null })
  })

  it('reports stage `closed` if a connection breaks before its first request', async () => {
    const connection = await openConnection(await okEndpoint())
    connection.raw.destroy()
    await once(connection.socket, 'close')
    const request = { path: '/', headers, body }
    const done = await sendHttpRequest(connection, unlimited, request, new AbortController().signal)
    expect(done).to.have.nested.property('fault.stage', 'closed')
  })
})
