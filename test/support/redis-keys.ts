import { Redis } from 'ioredis'

const readers: Record<string, [command: string, ...args: string[]]> = {
  string: ['GET'],
  hash: ['HGETALL'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1'],
  stream: ['XRANGE', '-', '+'],
}

const withKeys = async <T>(
  url: string,
  prefix: string,
  act: (redis: Redis, keys: string[]) => Promise<T>,
) => {
  const redis = new Redis(url)
  try {
    return await act(redis, await redis.keys(`${prefix}*`))
  } finally {
    redis.disconnect()
  }
}

export const dumpKeys = (redisUrl: string, prefix: string): Promise<string> =>
  withKeys(redisUrl, prefix, async (redis, keys) => {
    const text: string[] = []
    for (const key of keys) {
      const type = await redis.type(key)
      const [command, ...args] = readers[type] ?? []
      if (command === undefined && type !== 'none') throw new Error(`${key} is a ${type}`)
      text.push(key, command === undefined ? 'null' : JSON.stringify(await redis.call(command, key, ...args)))
    }
    return text.join('\n')
  })

export const deleteAllKeys = (redisUrl: string, prefix: string): Promise<void> =>
  withKeys(redisUrl, prefix, async (redis, keys) => {
    if (keys.length > 0) await redis.del(...keys)
  })
