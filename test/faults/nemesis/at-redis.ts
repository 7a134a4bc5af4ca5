import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../../../dev/servers/ask.ts'
import type { Act } from './act.ts'
import type { World } from './world.ts'

type Kinds = 'redis.stop' | 'redis.flush' | 'redis.empty' | 'redis.full'

export const atRedis: { [kind in Kinds]: Act<kind> } = {
  async 'redis.stop'({ servers: { redis } }, { target, forMs }) {
    const began = Date.now()
    await redis.kill('SIGSTOP')
    await pause(forMs)
    await redis.kill('SIGCONT')
    return { began, target }
  },
  async 'redis.flush'(world, { target }) {
    const began = Date.now()
    await say(world, 'FLUSHALL')
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
  async 'redis.full'(world, { target, forMs }) {
    const began = Date.now()
    await say(world, 'CONFIG SET maxmemory 1')
    await pause(forMs)
    await say(world, 'CONFIG SET maxmemory 0')
    return { began, target }
  },
}

async function say({ servers: { redis } }: World, words: string): Promise<void> {
  const answer = await ask(redis.port, `${words}\r\n`)
  if (answer?.startsWith('+OK') !== true) throw new Error(`Redis answered ${answer} to ${words}`)
}
