"""Words that say nothing about what a text is about: closed-class words of English and Chinese.

Both lists were written for this project from the grammar of the two languages (articles, pronouns,
auxiliaries, prepositions, conjunctions; particles, pronouns, measure and function words) and are
part of a fingerprint's definition: a change to them is a change of `simhash.VERSION`.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a an the this that these those i me my mine we us our ours you your yours he him his she her
    hers it its they them their theirs who whom whose which what where when why how and or but
    nor so yet if then else than because while although though unless until since as of at by
    for with about against between into through during before after above below to from up down
    in out on off over under again once here there all any both each few more most other some
    such no not only own same too very s t am is are was were be been being have has had having
    do does did doing will would shall should can could may might must also however within
    without upon per via
    """.split()
)

CHINESE = frozenset(
    """
    的 了 在 是 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那
    他 她 它 我们 你们 他们 她们 它们 这个 那个 这些 那些 这里 那里 什么 怎么 如何 哪 哪里 谁 与
    及 以及 或 或者 而 而且 并 并且 但 但是 因为 所以 如果 则 虽然 然而 于 对 对于 关于 从 自 由
    被 把 将 向 往 以 为 为了 之 其 其中 该 此 等 等等 中 内 外 下 里 后 前 时 年 月 日 个 们 地
    得 过 吗 吧 呢 啊 可以 可 能 能够 应 应当 应该 需 需要 还 又 再 更 最 已 已经 曾 正 正在 只
    只有 仅 每 各 某 另 另外 其他 通过 按 按照 根据 进行 使 使用 让 给 比 同 跟 像 如 例如 即
    即使 无 非 未 没 所 者
    """.split()
)
