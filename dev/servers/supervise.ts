import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Job {
  binary: string
  args: string[]
  /** Where what the server prints is appended. */
  log: string
  /** What ends the server: SIGTERM where its data is kept, SIGKILL where nobody needs it. */
  endSignal: 'SIGTERM' | 'SIGKILL'
  /** Removed after the server's end. */
  temporaryFolder?: string | undefined
}

export type Supervised = ReturnType<typeof supervise>

/** One server under a supervisor process (supervisor.mjs), so that it never outlives this process. */
export function supervise(job: Job) {
  const supervisor = spawn(
    process.execPath,
    [fileURLToPath(new URL('./supervisor.mjs', import.meta.url)), JSON.stringify(job)],
    // A group of its own: Ctrl-C reaches this process alone, which may still need the server to end well.
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

  // A forgotten server must not keep the process alive; the operations below do, by a timer, while they wait.
  supervisor.unref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as Socket).unref()
  async function until(holds: () => boolean): Promise<void> {
    const keepAlive = setInterval(() => {}, 60_000)
    while (!holds()) await once(changes, 'change')
    clearInterval(keepAlive)
  }

  return {
    state: state as Readonly<typeof state>,

    /** Resolves when the process runs (it may not answer yet) or could not be started. */
    async start(): Promise<void> {
      change({ ended: '' })
      supervisor.stdin.write('start\n')
      await until(() => state.pid !== undefined || state.ended !== '' || state.over)
    },

    /** Sends a signal to the server; after one that ends it, resolves when it has ended. */
    async kill(signal: NodeJS.Signals): Promise<void> {
      if (state.pid === undefined) return
      process.kill(state.pid, signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await until(() => state.pid === undefined)
    },

    /** Ends server and supervisor. */
    async end(): Promise<void> {
      supervisor.stdin.end()
      await until(() => state.over)
    },
  }
}
