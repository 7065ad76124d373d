// SPDX-License-Identifier: GPL-2.0
/* Dice: unpredictable ones, and ones that fall alike on every machine. */
#include <stdio.h>
#include <string.h>

#include <shakerandom.h>

int main(int argc, char **argv)
{
	const char *game = argc > 1 ? argv[1] : "game 4";
	struct shakerandom_params params = {
		.format = SHAKERANDOM_CHACHA20,
		.flags = SHAKERANDOM_TEXT,
		.seed = game,
		.seed_len = strlen(game),
	};
	char state[SHAKERANDOM_STATE_MAX];
	shakerandom_stream *s;
	int i, next, err;

	err = shakerandom_stream_open(&s, &params);
	if (err) {
		fprintf(stderr, "dice: %s\n", shakerandom_strerror(err));
		return 1;
	}
	for (i = 0; i < 5; i++)
		printf("unpredictable %d, %s %d\n",
		       (int)shakerandom_range32(1, 6), game,
		       (int)shakerandom_stream_range32(s, 1, 6));

	/* The state is a line of text: the game can go on elsewhere. */
	err = shakerandom_stream_save(s, state, sizeof(state));
	next = (int)shakerandom_stream_range32(s, 1, 6);
	shakerandom_stream_close(s);
	if (!err)
		err = shakerandom_stream_restore(&s, state);
	if (err || shakerandom_stream_range32(s, 1, 6) != next) {
		fprintf(stderr, "dice: the saved game went on otherwise\n");
		return 1;
	}
	shakerandom_stream_close(s);
	return 0;
}
