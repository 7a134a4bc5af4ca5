/** Real servers for tests, demo and benchmarks. Each ends with the process that started it, even after kill -9. */
export { startMongo, startMongoReplicaSet } from './servers/mongo.ts'
export { startRedis } from './servers/redis.ts'
export type { Server } from './servers/start.ts'
