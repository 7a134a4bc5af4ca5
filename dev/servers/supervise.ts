import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Job {
  binary: string
  args: string[]
  log: string
  /** SIGTERM if the data is kept, else SIGKILL. */
  endSignal: 'SIGTERM' | 'SIGKILL'
  temporaryFolder?: string | undefined
}

export type Supervised = ReturnType<typeof supervise>

/** Runs a server under a supervisor process (supervisor.mjs), so that it never outlives this process. */
export function supervise(job: Job) {
  const supervisor = spawn(
    process.execPath,
    [fileURLToPath(new URL('./supervisor.mjs', import.meta.url)), JSON.stringify(job)],
    // In its own process group, so that Ctrl-C reaches only this process, which may still need the server.
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

  // A running server must not keep this process alive. While they wait, the operations below do so with a timer.
  supervisor.unref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as Socket).unref()
  async function waitUntil(holds: () => boolean): Promise<void> {
    const keepAlive = setInterval(() => {}, 60_000)
    while (!holds()) await once(changes, 'change')
    clearInterval(keepAlive)
  }

  return {
    state: state as Readonly<typeof state>,

    /** Resolves when the process runs, even if it isn't ready yet, or when it couldn't be started. */
    async start(): Promise<void> {
      change({ ended: '' })
      supervisor.stdin.write('start\n')
      await waitUntil(() => state.pid !== undefined || state.ended !== '' || state.over)
    },

    /** After a signal that ends the server, resolves when it has ended. */
    async kill(signal: NodeJS.Signals): Promise<void> {
      if (state.pid === undefined) return
      process.kill(state.pid, signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await waitUntil(() => state.pid === undefined)
    },

    async end(): Promise<void> {
      supervisor.stdin.end()
      await waitUntil(() => state.over)
    },
  }
}
