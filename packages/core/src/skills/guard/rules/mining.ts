import { rulesOf } from '../rule.ts'

/** Using the machine for somebody's profit. */
export const mining = rulesOf('mining', [
  [
    'miner',
    'critical',
    /\b(?:xmrig|minerd|cpuminer|ethminer|nbminer|t-rex|lolminer|phoenixminer|claymore|cgminer|bfgminer|nanominer|gminer|srbminer)\b(?![-\w]*(?:\.md|\s+detect))/i,
    'names a program that mines coins',
  ],
  ['stratum', 'critical', /\bstratum\+(?:tcp|ssl|tls|udp):\/\//i, 'connects to a mining pool'],
  [
    'pool',
    'critical',
    /\b(?:minexmr|supportxmr|nanopool|moneroocean|hashvault|2miners|f2pool|ethermine|nicehash|unmineable)\.(?:com|org|pro|stream|net)\b/i,
    'names a mining pool',
  ],
  [
    'browser-miner',
    'critical',
    /\b(?:coinhive|coin-hive|cryptoloot|coinimp|webminepool|jsecoin)\b/i,
    'mines coins in a browser',
  ],
  ['huge-pages', 'medium', /\bvm\.nr_hugepages\s{0,3}=\s{0,3}\d{3,}/i, 'sets the memory up for mining'],
  [
    'proof-of-work-flags',
    'high',
    /--(?:donate-level|cpu-max-threads-hint|randomx-\w{1,12}|coin)[=\s]{1,2}["']?(?:\d{1,3}|monero|xmr|rvn|etc)\b/i,
    'has the flags of a mining program',
  ],
])
