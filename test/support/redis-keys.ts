import { Redis } from 'ioredis'

export async function dumpKeys(redisUrl: string, prefix: string): Promise<string> {
  const redis = new Redis(redisUrl)
  const text: string[] = []
  try {
    const keys = await redis.keys(`${prefix}*`)
    for (const key of keys) text.push(key, JSON.stringify(await valueOf(redis, key)))
  } finally {
    redis.disconnect()
  }
  return text.join('\n')
}

async function valueOf(redis: Redis, key: string): Promise<unknown> {
  const type = await redis.type(key)
  switch (type) {
    case 'string':
      return redis.get(key)
    case 'hash':
      return redis.hgetall(key)
    case 'list':
      return redis.lrange(key, 0, -1)
    case 'set':
      return redis.smembers(key)
    case 'zset':
      return redis.zrange(key, '0', '-1')
    case 'stream':
      return redis.xrange(key, '-', '+')
    case 'none':
      return null
    default:
      throw new Error(`${key} is a ${type}`)
  }
}

/** Does what FLUSHALL does in production, but only for one service. */
export async function deleteAllKeys(redisUrl: string, prefix: string): Promise<void> {
  const redis = new Redis(redisUrl)
  try {
    const keys = await redis.keys(`${prefix}*`)
    if (keys.length > 0) await redis.del(...keys)
  } finally {
    redis.disconnect()
  }
}
