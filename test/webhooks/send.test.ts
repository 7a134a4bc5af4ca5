import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { freePort } from '../../dev/servers/free-port.ts'
import { deadlineMs } from '../support/machine.ts'
import {
  closing,
  httpEndpoint,
  httpsEndpoint,
  rawEndpoint,
  rawHttpEndpoint,
  silentEndpoint,
} from './endpoint-servers.ts'
import {
  attemptAt,
  attemptAtHttp,
  attemptOverTls,
  block,
  body,
  dribble,
  expectStage,
  expectTimeout,
  flood,
  headers,
  hostName,
  OK,
  okEndpoint,
  repeat,
  sender,
  senderTo,
  shortTimeout,
  stopAll,
  userAgent,
} from './sending.ts'

describe('The webhook sender with a responsive endpoint', () => {
  afterEach(stopAll)

  it('posts exactly the given bytes and headers to the given path and query', async () => {
    let seen: unknown = null
    const endpointServer = await httpEndpoint((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        seen = {
          method: req.method,
          url: req.url,
          headers: req.headers,
          body: Buffer.concat(chunks).toString(),
        }
        res.end('thanks')
      })
    })
    const host = `127.0.0.1:${endpointServer.port}`
    const attempt = await sender([host], {}).post(`http://${host}/hooks?shop=1&x=%2F#part`)
    expect(attempt).to.include({ stage: null, status: 200, responseText: 'thanks' })
    expect(attempt.durationMs).to.be.within(0, deadlineMs(10_000))
    expect(seen).to.deep.equal({
      method: 'POST',
      url: '/hooks?shop=1&x=%2F',
      body,
      headers: {
        ...headers,
        'user-agent': userAgent,
        accept: '*/*',
        host,
        connection: 'keep-alive',
        'content-length': String(Buffer.byteLength(body)),
      },
    })
  })

  const statuses = {
    delivered: [200, 201, 202, 204, 299],
    refused: [300, 304, 400, 404, 410, 429, 500, 503, 599],
  }
  for (const [outcome, each] of Object.entries(statuses))
    for (const status of each)
      it(`reports an attempt that got status ${status} as ${outcome}`, async () => {
        const attempt = await attemptAtHttp((_req, res) => res.writeHead(status).end())
        const stage = outcome === 'delivered' ? null : 'status'
        expect(attempt).to.include({ stage, error: null, status, responseText: '' })
      })

  for (const [line, stage] of [
    ['204 No Content', null],
    ['304 Not Modified', 'status'],
  ] as const)
    it(`treats a response without a body as complete, even if it has a Content-Length: ${line}`, async () => {
      const endpointServer = await rawHttpEndpoint((socket) =>
        socket.write(`HTTP/1.1 ${line}\r\nContent-Length: 37\r\n\r\n`),
      )
      const status = Number.parseInt(line, 10)
      expect(await attemptAt(endpointServer, {})).to.include({ stage, status, responseText: '' })
    })

  it('follows no redirects', async () => {
    const neighbour = await okEndpoint()
    const targets = [`http://127.0.0.1:${neighbour.port}/`, 'http://169.254.169.254/latest/meta-data/']
    for (const location of targets)
      for (const status of [301, 302, 303, 307, 308]) {
        const endpointServer = await httpEndpoint((_req, res) => res.writeHead(status, { location }).end())
        const { post } = senderTo([endpointServer, neighbour], {})
        expect(await post()).to.include({ stage: 'status', status })
        expect(endpointServer.connections).to.have.length(1)
      }
    expect(neighbour.connections).to.have.length(0)
  })

  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
  for (const [what, interim] of [
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['100, after an empty line', '\r\nHTTP/1.1 100 \r\n\r\n\r\n'],
    ['103 and 102', `${early}HTTP/1.1 102 Processing\r\n\r\n`],
    [
      '100, 103, 199 and 100',
      `HTTP/1.1 100 Go\r\n\r\n${early}HTTP/1.1 199 x\r\na: 1\r\n\r\nHTTP/1.1 100 Go\r\n\r\n`,
    ],
    ['100, a thousand times', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)],
    ['103 with 15 KB of headers', early.replace('</a>', 'x'.repeat(15_000))],
  ] as const)
    it(`ignores interim (1xx) responses: ${what}`, async () => {
      const endpointServer = await rawHttpEndpoint((socket, count) => {
        if (count === 1) socket.write(interim + OK)
        else dribble(socket, interim + OK, Math.ceil(interim.length / 300))
      })
      const { post } = senderTo([endpointServer], {})
      for (let time = 0; time < 3; time += 1)
        expect(await post()).to.include({ stage: null, status: 200, responseText: 'ok' })
      expect(endpointServer.connections).to.have.length(1)
    })

  it('ignores interim (1xx) responses over TLS', async () => {
    const endpointServer = await httpsEndpoint('endpoint', (_req, res) => {
      res.writeContinue()
      res.writeEarlyHints({ link: '</a>' }, () => setImmediate(() => res.end('ok')))
    })
    expect(await attemptOverTls(endpointServer, {}, hostName)).to.include({ status: 200, responseText: 'ok' })
  })

  it('ignores an interim (1xx) response after the final response', async () => {
    const endpointServer = await rawHttpEndpoint((socket) =>
      socket.write(`${OK}HTTP/1.1 100 Continue\r\n\r\n`),
    )
    const { post } = senderTo([endpointServer], {})
    for (const _again of [1, 2]) expect(await post()).to.include({ status: 200, responseText: 'ok' })
  })

  it('accepts a response that arrived in time while the process was blocked', async () => {
    const blocking: RequestListener = (_req, res) => {
      res.end('ok')
      block(400)
    }
    expect(await attemptAt(await httpEndpoint(blocking), shortTimeout)).to.include({
      status: 200,
      responseText: 'ok',
    })
    const secure = await httpsEndpoint('endpoint', blocking)
    expect(await attemptOverTls(secure, { timeoutMs: 350 }, hostName)).to.include({
      status: 200,
      responseText: 'ok',
    })
  })

  it("keeps the first KiB of the response as text that's safe for databases and terminals", async () => {
    const long = await attemptAtHttp((_req, res) => res.end('é'.repeat(5000)))
    expect(long).to.include({ responseText: 'é'.repeat(512) })
    const cut = await attemptAtHttp((_req, res) => res.end(`a${'é'.repeat(5000)}`))
    expect(cut).to.include({ responseText: `a${'é'.repeat(511)}` })
    const harmful = Buffer.concat([
      Buffer.from('a\0\u001b[2Jb\tc\r\n'),
      Buffer.from([0xff, 0xed, 0xa0, 0x80]),
      Buffer.from('z'),
    ])
    const text = (await attemptAtHttp((_req, res) => res.end(harmful))).responseText ?? ''
    expect(text.isWellFormed()).to.equal(true)
    expect(text).to.match(/^a\ufffd\ufffd\[2Jb\tc\r\n\ufffd+z$/)
  })
})

describe('The webhook sender with a misbehaving endpoint', () => {
  afterEach(stopAll)

  it('gives up on an endpoint that never responds', async () =>
    expectTimeout(await attemptAt(await silentEndpoint(), shortTimeout)))

  for (const [what, start, rest, everyMs] of [
    ['sends its response byte by byte', 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', 'x', 20],
    ['sends its headers byte by byte', 'HTTP/1.1 200 OK\r\nx: ', 'x', 20],
    ['keeps sending interim responses', '', 'HTTP/1.1 102 Processing\r\n\r\n', 100],
    ['sends nothing but 100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n', '', 100],
    ['sends an interim response byte by byte', 'HTTP/1.1 103 Early Hints\r\nx: ', 'x', 20],
  ] as const)
    it(`gives up on an endpoint that ${what}`, async () => {
      const endpointServer = await rawHttpEndpoint((socket) => {
        socket.write(start)
        repeat(socket, rest, everyMs)
      })
      expectTimeout(await attemptAt(endpointServer, shortTimeout))
      await closing(endpointServer.connections[0] as Socket)
    })

  it('aborts a flood of interim (1xx) responses before the deadline', async () => {
    const endpointServer = await rawHttpEndpoint((socket) =>
      flood(socket, 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)),
    )
    expectStage(await attemptAt(endpointServer, {}), 'too_large')
    await closing(endpointServer.connections[0] as Socket)
  })

  it('aborts a response with an endless chunk extension', async () => {
    const start = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;'
    const endless = (socket: Socket): void => {
      socket.write(start)
      flood(socket, 'x'.repeat(10_000))
    }
    const endpointServer = await rawHttpEndpoint(endless)
    expectStage(await attemptAt(endpointServer, {}), 'too_large')
    await closing(endpointServer.connections[0] as Socket)
    const secure = await httpsEndpoint('endpoint', ({ socket }) => endless(socket))
    expectStage(await attemptOverTls(secure, {}, hostName), 'too_large')
    await closing(secure.connections[0] as Socket)
  })

  const bodyAfterHeaders: RequestListener = (_req, res) => {
    res.writeHead(200, { 'content-length': 300_000 }).flushHeaders()
    setImmediate(() => setImmediate(() => setImmediate(() => res.end('x'.repeat(300_000)))))
  }

  it('accepts the status of a response whose long body arrives after its headers', async () => {
    for (const attempt of [
      await attemptAtHttp(bodyAfterHeaders),
      await attemptOverTls(await httpsEndpoint('endpoint', bodyAfterHeaders), {}, hostName),
    ])
      expect(attempt).to.include({ stage: null, status: 200, responseText: 'x'.repeat(1024) })
  })

  it('accepts the status of a response whose long body arrives in hundreds of TLS records', async () => {
    const endpointServer = await httpsEndpoint('endpoint', (_req, res) => {
      res.writeHead(200, { 'content-length': 100_000 }).flushHeaders()
      dribble(res.socket as Socket, 'x'.repeat(100_000), 10)
    })
    expect(await attemptOverTls(endpointServer, {}, hostName)).to.include({ stage: null, status: 200 })
    await closing(endpointServer.connections[0] as Socket)
  })

  for (const [what, rest, kept] of [
    ['16 KiB', `content-length: 100000\r\n\r\n${'x'.repeat(17_000)}`, 1024],
    ['16 KiB without a length', `connection: close\r\n\r\n${'x'.repeat(17_000)}`, 1024],
    ['256 chunks', `transfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(1_000)}`, 257],
  ] as const)
    it(`accepts the status of an endless response after ${what}`, async () => {
      const endpointServer = await rawHttpEndpoint((socket) => socket.write(`HTTP/1.1 200 OK\r\n${rest}`))
      const accepted = { stage: null, status: 200, responseText: 'x'.repeat(kept) }
      expect(await attemptAt(endpointServer, {})).to.include(accepted)
      await closing(endpointServer.connections[0] as Socket)
    })

  for (const [lines, status] of [
    [1000, 200],
    [17, 200],
    [1000, 100],
    [17, 103],
  ] as const)
    it(`rejects a response with status ${status} and ${lines} KB of headers`, async () => {
      const endpointServer = await rawHttpEndpoint((socket) => {
        socket.write(`HTTP/1.1 ${status} OK\r\n${`x-more: ${'x'.repeat(990)}\r\n`.repeat(lines)}\r\n`)
      })
      expectStage(await attemptAt(endpointServer, {}), 'too_large')
    })

  it('reports a connection that is closed before or during the response', async () => {
    const ending = (text: string) => rawHttpEndpoint((socket) => void socket.end(text))
    const ok = 'HTTP/1.1 200 OK\r\n'
    const endpointServers = [
      rawEndpoint((socket) => socket.destroy()),
      rawEndpoint((socket) => socket.resetAndDestroy()),
      ending(''),
      ending(`${ok}content-`),
      ending(`${ok}content-length: 10\r\n\r\nhalf`),
      ending(`${ok}content-length: 10\r\nconnection: close\r\n\r\nhalf`),
      ending(`${ok}transfer-encoding: chunked\r\n\r\n5\r\nha`),
      ending(`${ok}transfer-encoding: chunked\r\nconnection: close\r\n\r\n5\r\nha`),
    ]
    for (const endpointServer of await Promise.all(endpointServers)) {
      expectStage(await attemptAt(endpointServer, {}), 'closed')
      expect(endpointServer.connections, 'a request is sent once').to.have.length(1)
    }
  })

  it('reports a response that is not HTTP', async () => {
    const responses = [
      'SSH-2.0-OpenSSH_9.6\r\n',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx: a\0b\r\n\r\nok',
      'HTTP/1.1 101 Switching Protocols\r\n\r\n',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`,
      `HTTP/1.1 100 Continue\r\ncontent-length: 2\r\n\r\nno${OK}`,
      `HTTP/1.1 1000 Continue\r\n\r\n${OK}`,
      `HTTP/1.1 100 Continue\r\nconnection: close\r\n\r\n${OK}`,
      `HTTP/1.1 100 Continue\n\n${OK}`,
      '+OK\r\n',
    ]
    for (const response of responses)
      expectStage(await attemptAt(await rawHttpEndpoint((socket) => socket.write(response)), {}), 'protocol')
  })

  it('reports a refused connection', async () => {
    const port = await freePort()
    expectStage(await sender([`127.0.0.1:${port}`], {}).post(`http://127.0.0.1:${port}/`), 'refused')
  })
})
