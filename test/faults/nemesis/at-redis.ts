import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../../../dev/servers/ask.ts'
import { until } from '../../support/until.ts'
import type { Act } from './act.ts'
import type { Targets } from './targets.ts'

/** It stood still a moment ago, or has just begun to serve again. */
const PATIENCE_MS = 30_000

type Kinds = 'redis.stop' | 'redis.flush' | 'redis.empty' | 'redis.full'

export const atRedis: { [kind in Kinds]: Act<kind> } = {
  async 'redis.stop'({ servers: { redis } }, { target, forMs }) {
    const began = Date.now()
    await redis.kill('SIGSTOP')
    await pause(forMs)
    await redis.kill('SIGCONT')
    return { began, target }
  },
  async 'redis.flush'(targets, { target }) {
    const began = Date.now()
    await say(targets, 'FLUSHALL')
    return { began, target }
  },
  /** It keeps nothing on its disk: it comes back empty. */
  async 'redis.empty'({ servers: { redis } }, { target, forMs }) {
    const began = Date.now()
    await redis.kill('SIGKILL')
    await pause(forMs)
    await redis.restart()
    return { began, target }
  },
  /** What it holds may stay; each command that needs more is refused. */
  async 'redis.full'(targets, { target, forMs }) {
    const began = Date.now()
    await say(targets, 'CONFIG SET maxmemory 1')
    await pause(forMs)
    await say(targets, 'CONFIG SET maxmemory 0')
    return { began, target }
  },
}

async function say({ servers: { redis } }: Targets, words: string): Promise<void> {
  const isDone = async () => (await ask(redis.port, `${words}\r\n`))?.startsWith('+OK') === true
  await until(`Redis answers ${words}`, isDone, PATIENCE_MS)
}
