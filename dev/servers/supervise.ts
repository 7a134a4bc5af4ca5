import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Job {
  binary: string
  args: string[]
  /** The file to which the output of the server is appended. */
  log: string
  /** The signal that ends the server: SIGTERM if its data is kept, else SIGKILL. */
  endSignal: 'SIGTERM' | 'SIGKILL'
  /** A folder to remove after the end of the server. */
  temporaryFolder?: string | undefined
}

export type Supervised = ReturnType<typeof supervise>

/** Runs a server under a supervisor process (supervisor.mjs), so that it never outlives this process. */
export function supervise(job: Job) {
  const supervisor = spawn(
    process.execPath,
    [fileURLToPath(new URL('./supervisor.mjs', import.meta.url)), JSON.stringify(job)],
    // A separate process group, so that Ctrl-C reaches only this process, which may still need the server.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true, env: { ...process.env, NODE_OPTIONS: '' } },
  )
  const state = { pid: undefined as number | undefined, ended: '', over: false }
  const changes = new EventEmitter().setMaxListeners(0)
  const change = (news: Partial<typeof state>) => {
    Object.assign(state, news)
    changes.emit('change')
  }

  createInterface({ input: supervisor.stdout }).on('line', (line) => {
    const [word, ...rest] = line.split(' ')
    change(word === 'started' ? { pid: Number(rest[0]) } : { pid: undefined, ended: rest.join(' ') })
  })
  supervisor.once('exit', () => change({ pid: undefined, over: true }))
  supervisor.stdin.on('error', () => {})

  // A running server must not keep this process alive. The operations below do so with a timer while they wait.
  supervisor.unref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as Socket).unref()
  async function waitUntil(holds: () => boolean): Promise<void> {
    const keepAlive = setInterval(() => {}, 60_000)
    while (!holds()) await once(changes, 'change')
    clearInterval(keepAlive)
  }

  return {
    state: state as Readonly<typeof state>,

    /** Resolves when the process runs, even if it is not ready yet, or when it could not be started. */
    async start(): Promise<void> {
      change({ ended: '' })
      supervisor.stdin.write('start\n')
      await waitUntil(() => state.pid !== undefined || state.ended !== '' || state.over)
    },

    /** Sends a signal to the server. After a signal that ends it, resolves when it has ended. */
    async kill(signal: NodeJS.Signals): Promise<void> {
      if (state.pid === undefined) return
      process.kill(state.pid, signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await waitUntil(() => state.pid === undefined)
    },

    /** Ends server and supervisor. */
    async end(): Promise<void> {
      supervisor.stdin.end()
      await waitUntil(() => state.over)
    },
  }
}
