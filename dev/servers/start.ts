import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, isFree } from './free-port.ts'
import { type Supervised, supervise } from './supervise.ts'

// The slowest observed start took 4 s: a mongod that repaired its journal on a slow disk.
const START_LIMIT_MS = 30_000
// Another process may take a free port before the server starts.
const MAX_PORT_ATTEMPTS = 3

export type Options = Record<string, string | string[] | true>

export interface Kind {
  name: 'MongoDB' | 'Redis'
  binary: { path: string; version: string }
  options: Options
  folderOption: string
  portOption?: string
  /** A configuration file's content, whose path becomes the first argument. The server may change the file. */
  config?: string
  url(port: number): string
  isReady(port: number): Promise<boolean>
  /** What is left to do once the server is ready. */
  prepare?: ((port: number) => Promise<void>) | undefined
}

export interface ServerOptions {
  /** Kept afterwards. By default, the server has a temporary folder, which is removed. */
  dataDir?: string | undefined
  port?: number | undefined
  /** A file with a certificate and its key, which makes the server accept only TLS. */
  tls?: string | undefined
}

export type Server = Readonly<ReturnType<typeof server>>

export async function startServer(kind: Kind, options: ServerOptions): Promise<Server> {
  for (let attempts = 1; ; attempts++) {
    const port = options.port ?? (await freePort())
    const parent = process.env.SERVER_DATA_IN ?? tmpdir()
    const folder = options.dataDir ?? (await mkdtemp(join(parent, 'payment-intents-')))
    await mkdir(folder, { recursive: true })
    const config = kind.config === undefined ? [] : [join(folder, 'server.conf')]
    for (const file of config) await writeFile(file, kind.config ?? '')
    const supervised = supervise({
      binary: kind.binary.path,
      args: [
        ...config,
        ...argumentsOf({
          ...kind.options,
          [kind.portOption ?? 'port']: String(port),
          [kind.folderOption]: folder,
        }),
      ],
      log: logIn(folder),
      endSignal: options.dataDir ? 'SIGTERM' : 'SIGKILL',
      temporaryFolder: options.dataDir ? undefined : folder,
    })
    const failure = await begin(kind, port, supervised, folder)
    if (failure === undefined) return server(kind, port, supervised, folder)
    await supervised.end()
    const portIsTaken = options.port === undefined && /in use/i.test(failure)
    if (!portIsTaken || attempts === MAX_PORT_ATTEMPTS) throw new Error(failure)
  }
}

const argumentsOf = (options: Options) =>
  Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [value].flat().flatMap((each) => [`--${name}`, each]),
  )

function server(kind: Kind, port: number, supervised: Supervised, folder: string) {
  return {
    url: kind.url(port),
    port,
    version: kind.binary.version,
    folder,
    /** Changes with each restart, and is undefined while the server is down. */
    get pid(): number | undefined {
      return supervised.state.pid
    },
    /** SIGSTOP and SIGCONT freeze and thaw the server. After any other signal, resolves when it has ended. */
    kill: supervised.kill,
    /** Keeps port and data. Ends the server first if it still runs. */
    async restart(): Promise<void> {
      await supervised.kill('SIGCONT')
      await supervised.kill('SIGTERM')
      const failure = await begin(kind, port, supervised, folder)
      if (failure !== undefined) throw new Error(failure)
    },
    /** Ends the server for good. Otherwise it ends with this process. */
    stop: supervised.end,
  }
}

async function begin(kind: Kind, port: number, supervised: Supervised, folder: string) {
  // Otherwise another server on this port could pass for this one.
  if (!(await isFree(port))) return `${kind.name} cannot start: port ${port} is in use`
  const deadline = Date.now() + START_LIMIT_MS
  await supervised.start()
  while (supervised.state.pid !== undefined && Date.now() < deadline) {
    if (await kind.isReady(port))
      return kind.prepare?.(port).then(
        () => undefined,
        (error: Error) => `${kind.name} cannot be prepared: ${error.message}`,
      )
    await sleep(10)
  }
  const how = supervised.state.ended ? `ended (${supervised.state.ended})` : 'was not ready in time'
  return `${kind.name} ${how}: ${await lastLines(logIn(folder))}`
}

const logIn = (folder: string) => join(folder, 'server.log')

async function lastLines(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-5).join('\n')
}
