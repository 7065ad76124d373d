// SPDX-License-Identifier: GPL-2.0
#include <linux/device.h>
#include <linux/sysfs.h>

#include "../uapi/shakerandom.h"
#include "engine.h"
#include "pool.h"
#include "selftest.h"
#include "sysfs.h"

const char *srnd_sysfs_algorithm;

static ssize_t version_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%s\n", SHAKERANDOM_VERSION);
}
static DEVICE_ATTR_RO(version);

static ssize_t generation_show(struct device *dev,
			       struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", srnd_pool_generation());
}
static DEVICE_ATTR_RO(generation);

static ssize_t algorithm_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", srnd_sysfs_algorithm);
}
static DEVICE_ATTR_RO(algorithm);

static ssize_t selftests_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", srnd_selftest_passed() ? "passed" :
								"failed");
}
static DEVICE_ATTR_RO(selftests);

static struct attribute *device_attrs[] = {
	&dev_attr_version.attr,
	&dev_attr_generation.attr,
	&dev_attr_algorithm.attr,
	&dev_attr_selftests.attr,
	NULL,
};

static const struct attribute_group device_group = { .attrs = device_attrs };

/* backends/<primitive>: all compiled variants, the chosen one in brackets. */
static ssize_t backend_show(enum srnd_primitive p, char *buf)
{
	const struct srnd_backend *b;
	unsigned int i;
	int len = 0;

	for (i = 0; (b = srnd_backend_row(p, i)); i++)
		len += sysfs_emit_at(buf, len,
				     b == srnd_engine.row[p] ? "%s[%s]" :
							       "%s%s",
				     i ? " " : "", b->name);
	return len + sysfs_emit_at(buf, len, "\n");
}

#define BACKEND_ATTR(name, primitive)					\
	static ssize_t name##_show(struct device *dev,			\
				   struct device_attribute *attr,	\
				   char *buf)				\
	{								\
		return backend_show(primitive, buf);			\
	}								\
	static DEVICE_ATTR_RO(name)

BACKEND_ATTR(chacha, SRND_CHACHA);
BACKEND_ATTR(aes, SRND_AES);
BACKEND_ATTR(keccak, SRND_KECCAK);
BACKEND_ATTR(sectors, SRND_SECTORS);

static struct attribute *backend_attrs[] = {
	&dev_attr_chacha.attr,
	&dev_attr_aes.attr,
	&dev_attr_keccak.attr,
	&dev_attr_sectors.attr,
	NULL,
};

static const struct attribute_group backend_group = {
	.name = "backends",
	.attrs = backend_attrs,
};

#define STATISTIC_ATTR(name, what)					\
	static ssize_t name##_show(struct device *dev,			\
				   struct device_attribute *attr,	\
				   char *buf)				\
	{								\
		return sysfs_emit(buf, "%llu\n", srnd_counted(what));	\
	}								\
	static DEVICE_ATTR_RO(name)

STATISTIC_ATTR(bytes, SRND_BYTES);
STATISTIC_ATTR(reseeds, SRND_RESEEDS);
STATISTIC_ATTR(fallbacks, SRND_FALLBACKS);

static struct attribute *statistic_attrs[] = {
	&dev_attr_bytes.attr,
	&dev_attr_reseeds.attr,
	&dev_attr_fallbacks.attr,
	NULL,
};

static const struct attribute_group statistic_group = {
	.name = "statistics",
	.attrs = statistic_attrs,
};

const struct attribute_group *srnd_sysfs_groups[] = {
	&device_group,
	&backend_group,
	&statistic_group,
	NULL,
};
